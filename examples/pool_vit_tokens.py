"""Pool the tokens of a vision transformer, some of them padding, and see what each one weighs.

A transformer gives (batch, tokens, dim); a pooling takes (batch, channels, *positions). A token is
a position and its dim are the channels, so the two last axes change places.
"""

import torch
from torch import nn

from dgmp.pooling import GeneralizedMaxPool, generalized_max_weights

torch.manual_seed(0)
dim, lengths = 32, torch.tensor([12, 7])
layer = nn.TransformerEncoderLayer(dim, nhead=4, dim_feedforward=64, batch_first=True)
encoder = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False).eval()

# Background everywhere and one rare token, at position 3 of both images.
patches = torch.randn(1, 1, dim).repeat(2, 12, 1) + 0.1 * torch.randn(2, 12, dim)
patches[:, 3] = 3 * torch.randn(dim)
present = torch.arange(12) < lengths.unsqueeze(1)  # (batch, tokens): False where padded

with torch.no_grad():
    tokens = encoder(patches, src_key_padding_mask=~present)  # (batch, tokens, dim)
    features = tokens.transpose(1, 2)  # (batch, dim, tokens)
    vectors = GeneralizedMaxPool()(features, attention=present)
    alone = GeneralizedMaxPool()(features[1:, :, :7])
    weights = generalized_max_weights(features, 30.0, attention=present)  # (batch, tokens)

print(f"tokens {tuple(tokens.shape)} -> vectors {tuple(vectors.shape)}")
print(f"second image padded and alone differ by {(vectors[1] - alone[0]).abs().max():.1e}")
print("weight α of each token (the rare one is number 3; padded ones weigh nothing):")
for row in weights / weights.sum(dim=1, keepdim=True):
    print("  " + " ".join(f"{share:5.2f}" for share in row))

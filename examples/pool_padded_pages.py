"""Pool a batch of pages of different sizes: a mask makes each count as if it were alone.

The law every pooling here keeps: a position outside the mask is not there. (The map is computed on
the padded image, so its positions at the edge of a page have seen a little of the padding.)
"""

import torch

from dgmp.models import resnet18
from dgmp.pooling import GeneralizedMaxPool
from dgmp.pooling.masks import map_mask

torch.manual_seed(0)
sizes = [(160, 96), (97, 224), (224, 224)]
model = resnet18(pooling=GeneralizedMaxPool(), classes=None).eval()
pages = [torch.rand(3, height, width) for height, width in sizes]

batch = torch.zeros(len(pages), 3, 224, 224)
mask = torch.zeros(len(pages), 224, 224, dtype=torch.bool)
for i, page in enumerate(pages):
    height, width = page.shape[1:]
    batch[i, :, :height, :width] = page
    mask[i, :height, :width] = True

with torch.no_grad():
    features = model.features(batch)
    vectors = model(batch, mask)  # pools features under map_mask(mask, model.stride)
    for i, (height, width) in enumerate(sizes):
        rows, columns = -(-height // model.stride), -(-width // model.stride)
        alone = model.pooling(features[i : i + 1, :, :rows, :columns])
        on = int(map_mask(mask, model.stride)[i].sum())
        print(
            f"page {height}×{width}: {rows}×{columns} = {on} of 49 positions, "
            f"off from its map pooled alone by {(vectors[i] - alone[0]).norm():.1e}"
        )
    unmasked = model(batch)
    print(f"without the mask the first page would be off by {(unmasked - vectors)[0].norm():.2f}")

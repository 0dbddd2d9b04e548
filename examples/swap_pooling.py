"""Give a network another global pooling in one line, and learn its ridge in the same step.

``replace_global_pooling`` takes any model with a global pooling module: the networks of this
package, torchvision's (``torchvision.models.resnet50()``), timm's, or your own, as here.
"""

import torch
from torch import nn

from dgmp.models import replace_global_pooling, resnet18
from dgmp.pooling import GeneralizedMaxPool


class YourNet(nn.Module):
    """Any network laid out as torchvision lays out its ResNets."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 64, 3, stride=4)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(64, 10)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.fc(self.avgpool(self.conv(images).relu()).flatten(1))


torch.manual_seed(0)
images = torch.rand(4, 3, 96, 128)
writers = torch.tensor([0, 1, 2, 3])

for model in (YourNet(), resnet18(classes=10)):
    before = model(images)

    pooling = GeneralizedMaxPool()
    replace_global_pooling(model, pooling)  # the one line

    optimiser = torch.optim.SGD(model.parameters(), lr=1.0)
    start = [parameter.item() for parameter in pooling.parameters()]
    loss = nn.functional.cross_entropy(model(images), writers)
    loss.backward()
    optimiser.step()
    end = [parameter.item() for parameter in pooling.parameters()]

    print(type(model).__name__)
    print(f"  scores before and after     {tuple(before.shape)} {tuple(model(images).shape)}")
    for (name, _), old, new in zip(pooling.named_parameters(), start, end, strict=True):
        print(f"  {name} moved in one step   {old:.4f} {new - old:+.1e}")

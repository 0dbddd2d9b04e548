"""Models with the structure of torchvision's and timm's, rebuilt in small."""

import torch
from torch import nn
from torch.nn import functional as F

WIDTH = 8


class SqueezeExcitation(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(channels, 2, 1)
        self.fc2 = nn.Conv2d(2, channels, 1)

    def forward(self, x):
        return x * torch.sigmoid(self.fc2(F.relu(self.fc1(self.avgpool(x)))))


class LayerNorm2d(nn.LayerNorm):
    def forward(self, x):
        return super().forward(x.movedim(1, -1)).movedim(-1, 1)


class TvResNet(nn.Module):
    def __init__(self, size=(1, 1)):
        super().__init__()
        self.conv1 = nn.Conv2d(3, WIDTH, 3)
        self.bn1 = nn.BatchNorm2d(WIDTH)
        self.avgpool = nn.AdaptiveAvgPool2d(size)
        self.fc = nn.Linear(WIDTH * torch.Size(size).numel(), 5)

    def forward(self, x):
        return self.fc(torch.flatten(self.avgpool(self.bn1(self.conv1(x))), 1))


class TvEfficientNet(nn.Module):
    def __init__(self, blocks=2):
        super().__init__()
        gated = [SqueezeExcitation(WIDTH) for _ in range(blocks)]
        self.features = nn.Sequential(nn.Conv2d(3, WIDTH, 3), *gated)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(WIDTH, 5))

    def forward(self, x):
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


class TvConvNext(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, WIDTH, 3))
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(LayerNorm2d(WIDTH), nn.Flatten(1), nn.Linear(WIDTH, 5))

    def forward(self, x):
        return self.classifier(self.avgpool(self.features(x)))


class TvMaxVit(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, WIDTH, 3), SqueezeExcitation(WIDTH))
        self.classifier = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 5)
        )

    def forward(self, x):
        return self.classifier(self.features(x))


class TvDenseNet(nn.Module):
    """Also the shape of MobileNetV2: a function pools inside forward."""

    def __init__(self, blocks=0):
        super().__init__()
        gated = [SqueezeExcitation(WIDTH) for _ in range(blocks)]
        self.features = nn.Sequential(nn.Conv2d(3, WIDTH, 3), *gated)
        self.classifier = nn.Linear(WIDTH, 5)

    def forward(self, x):
        return self.classifier(F.adaptive_avg_pool2d(F.relu(self.features(x)), 1).flatten(1))


class FastAdaptiveAvgPool(nn.Module):
    def __init__(self, flatten, dim):
        super().__init__()
        self.flatten, self.dim = flatten, dim

    def forward(self, x):
        return x.mean(self.dim, keepdim=not self.flatten)


class AdaptiveCatAvgMaxPool2d(nn.Module):
    output_size = 1

    def forward(self, x):
        return torch.cat([F.adaptive_avg_pool2d(x, 1), F.adaptive_max_pool2d(x, 1)], 1)


class SelectAdaptivePool2d(nn.Module):
    """timm's: a pooling inside, flattening or not, channels first or last, or passing through."""

    def __init__(self, pool_type="avg", flatten=True, channels_last=False):
        super().__init__()
        self.pool_type = pool_type
        self.flatten = nn.Flatten(1) if flatten and not channels_last else nn.Identity()
        self.pool = {
            "avg": nn.AdaptiveAvgPool2d(1),
            "catavgmax": AdaptiveCatAvgMaxPool2d(),
            "": nn.Identity(),
        }[pool_type]
        if channels_last:
            self.pool = FastAdaptiveAvgPool(flatten, dim=(1, 2))

    def forward(self, x):
        return self.flatten(self.pool(x))


class TimmResNet(nn.Module):
    def __init__(self, pool_type="avg"):
        super().__init__()
        self.conv1 = nn.Conv2d(3, WIDTH, 3)
        self.global_pool = SelectAdaptivePool2d(pool_type)
        self.fc = nn.Linear(WIDTH * (2 if pool_type == "catavgmax" else 1), 5)

    def get_classifier(self):
        return self.fc

    def forward(self, x):
        return self.fc(self.global_pool(self.conv1(x)))


class TimmHead(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.global_pool = SelectAdaptivePool2d(**options)
        self.drop = nn.Dropout(0.1)
        self.fc = nn.Linear(WIDTH, 5)

    def forward(self, x):
        return self.fc(self.drop(self.global_pool(x)))


class TimmConvNextHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.global_pool = SelectAdaptivePool2d(flatten=False)
        self.norm = LayerNorm2d(WIDTH)
        self.flatten = nn.Flatten(1)
        self.fc = nn.Linear(WIDTH, WIDTH)  # as many classes as channels: still no gate

    def forward(self, x):
        return self.fc(self.flatten(self.norm(self.global_pool(x))))


class TimmNested(nn.Module):
    def __init__(self, head, channels_last=False):
        super().__init__()
        self.stem = nn.Conv2d(3, WIDTH, 3)
        self.head = head
        self.channels_last = channels_last

    def forward(self, x):
        x = self.stem(x)
        return self.head(x.movedim(1, -1) if self.channels_last else x)


class Wrapped(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone

    def forward(self, x):
        return F.normalize(self.backbone(x))


class Video(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv3d(3, WIDTH, 1)
        self.avgpool = nn.AdaptiveAvgPool3d((1, 1, 1))
        self.fc = nn.Linear(WIDTH, 5)

    def forward(self, x):
        return self.fc(self.avgpool(self.stem(x.unsqueeze(2))).flatten(1))


class TwoPoolings(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, WIDTH, 3)
        self.left = nn.AdaptiveAvgPool2d(1)
        self.right = nn.AdaptiveMaxPool2d(1)

    def forward(self, x):
        return self.left(self.stem(x)) + self.right(self.stem(x))

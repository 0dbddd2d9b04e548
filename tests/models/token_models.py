"""Models that pool by a function, with the structure of timm's and torchvision's, in small."""

import torch
from torch import nn
from torch.nn import functional as F

WIDTH = 8


class Tokens(nn.Module):
    """What timm's models of tokens share: patches of 2×2 pixels behind a class token."""

    num_features = WIDTH
    prefix = 1

    def __init__(self, global_pool="avg"):
        super().__init__()
        self.global_pool = global_pool
        self.num_prefix_tokens = self.prefix
        self.cls_token = nn.Parameter(torch.randn(1, self.prefix, WIDTH))
        self.patch_embed = nn.Conv2d(3, WIDTH, 2, stride=2)
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, 5)

    def forward_features(self, x):
        x = self.patch_embed(x).flatten(2).mT
        return self.norm(torch.cat([self.cls_token.expand(len(x), -1, -1), x], dim=1))

    def pooled(self, x):
        return x[:, self.num_prefix_tokens :].mean(1) if self.global_pool == "avg" else x[:, 0]

    def forward_head(self, x, pre_logits=False):
        x = self.pooled(x)
        return x if pre_logits else self.head(x)

    def forward(self, x):
        return self.forward_head(self.forward_features(x))


class TimmVit(Tokens):
    prefix = 2

    def __init__(self, global_pool="avg"):
        super().__init__(global_pool)
        self.attn_pool = None
        self.pool_include_prefix = False
        self.fc_norm = nn.LayerNorm(WIDTH)

    def pooled(self, x):
        if self.attn_pool is not None:
            return self.fc_norm(self.attn_pool(x[:, self.num_prefix_tokens :]))
        return self.fc_norm(super().pooled(x))


class TimmEva(Tokens):
    def __init__(self, global_pool="avg"):
        super().__init__(global_pool)
        self.attn_pool = None

    def pooled(self, x):
        return super().pooled(x) if self.attn_pool is None else self.attn_pool(x)


class TimmDistilled(TimmVit):
    """The slot is there and its head does not look at it."""

    def __init__(self):
        super().__init__("token")
        self.head_dist = nn.Linear(WIDTH, 5)

    def forward_head(self, x, pre_logits=False):
        return (self.head(x[:, 0]) + self.head_dist(x[:, 1])) / 2


class TimmVolo(Tokens):
    """A class token, and the best of the patches on top."""

    def __init__(self):
        super().__init__("token")
        del self.num_prefix_tokens  # it does not say
        self.aux_head = nn.Linear(WIDTH, 5)

    def forward_head(self, x, pre_logits=False):
        return self.head(x[:, 0]) + 0.5 * self.aux_head(x[:, 1:]).amax(1)


class TimmPvt(nn.Module):
    """Also the shape of RepViT, EfficientFormer and Swiftformer: a function pools the map."""

    num_features = WIDTH
    global_pool = "avg"

    def __init__(self, channels_last=False):
        super().__init__()
        self.channels_last = channels_last
        self.stem = nn.Conv2d(3, WIDTH, 3)
        self.head = nn.Linear(WIDTH, 5)

    def forward_features(self, x):
        x = self.stem(x)
        return x.movedim(1, -1) if self.channels_last else x

    def forward_head(self, x):
        return self.head(x.flatten(1, -2).mean(1) if self.channels_last else x.mean((2, 3)))

    def forward(self, x):
        return self.forward_head(self.forward_features(x))


class TimmOwnHead(TimmPvt):
    """Pools, but not by an average of the map."""

    def forward_head(self, x):
        return self.head(x.mean((2, 3)) + x.std((2, 3), correction=0))


class TimmClip(TimmPvt):
    """Attention over a map, which calls itself a class token."""

    global_pool = "token"

    def forward_head(self, x):
        x = x.flatten(2)
        return self.head((x * x.sum(1, keepdim=True).softmax(2)).sum(2))


class CrossVit(TimmPvt):
    def forward_features(self, x):
        return [super().forward_features(x)] * 2


class TimmVgg(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Conv2d(3, WIDTH, 3)
        self.pre_logits = nn.Conv2d(WIDTH, WIDTH, 7)
        self.global_pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(WIDTH, 5)

    def forward(self, x):
        return self.fc(self.global_pool(self.pre_logits(self.features(x))).flatten(1))


class TvInception(nn.Module):
    """A branch for training only looks at all of an inner map; the network goes on beside it."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, WIDTH, 3)
        self.aux = nn.Conv2d(WIDTH, WIDTH, 5)
        self.last = nn.Conv2d(WIDTH, WIDTH, 3)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(WIDTH, 5)

    def forward(self, x):
        return self.fc(self.avgpool(self.last(self.stem(x))).flatten(1))


class SqueezeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.num_classes = 5
        self.features = nn.Conv2d(3, WIDTH, 3)
        self.classifier = nn.Sequential(
            nn.Dropout(), nn.Conv2d(WIDTH, 5, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1)
        )

    def forward(self, x):
        return self.classifier(self.features(x)).flatten(1)


class DenseNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, WIDTH, 3), nn.BatchNorm2d(WIDTH))
        self.classifier = nn.Linear(WIDTH, 5)

    def forward(self, x):
        return self.classifier(F.adaptive_avg_pool2d(F.relu(self.features(x)), 1).flatten(1))


class MobileNetV2(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Conv2d(3, WIDTH, 3)
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(WIDTH, 5))

    def forward(self, x):
        return self.classifier(F.adaptive_avg_pool2d(self.features(x), 1).flatten(1))


class MNASNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Conv2d(3, WIDTH, 3)
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(WIDTH, 5))

    def forward(self, x):
        return self.classifier(self.layers(x).mean([2, 3]))


class ShuffleNetV2(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.maxpool = nn.Conv2d(3, WIDTH, 3), nn.MaxPool2d(2)
        self.stage2 = self.stage3 = self.stage4 = nn.ReLU()
        self.conv5 = nn.Conv2d(WIDTH, WIDTH, 1)
        self.fc = nn.Linear(WIDTH, 5)

    def forward(self, x):
        x = self.stage4(self.stage3(self.stage2(self.maxpool(self.conv1(x)))))
        return self.fc(self.conv5(x).mean([2, 3]))


class VisionTransformer(nn.Module):
    """torchvision's."""

    def __init__(self):
        super().__init__()
        self.conv_proj = nn.Conv2d(3, WIDTH, 2, stride=2)
        self.class_token = nn.Parameter(torch.randn(1, 1, WIDTH))
        self.encoder = nn.LayerNorm(WIDTH)
        self.heads = nn.Sequential(nn.Linear(WIDTH, 5))

    def _process_input(self, x):
        return self.conv_proj(x).flatten(2).mT

    def forward(self, x):
        x = self._process_input(x)
        x = self.encoder(torch.cat([self.class_token.expand(len(x), -1, -1), x], dim=1))
        return self.heads(x[:, 0])

"""A pooling in the place of another: what goes in and comes out keeps the old shape."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torch import Tensor, nn

from ..pooling import Pooling

ADAPTIVE = (
    nn.AdaptiveAvgPool1d,
    nn.AdaptiveAvgPool2d,
    nn.AdaptiveAvgPool3d,
    nn.AdaptiveMaxPool1d,
    nn.AdaptiveMaxPool2d,
    nn.AdaptiveMaxPool3d,
)


@dataclass(frozen=True)
class PooledShape:
    """What a global pooling takes and gives, as far as its neighbours care."""

    flat: bool = False  # (B, C), else (B, C, 1, 1)
    channels_last: bool = False  # takes (B, H, W, C) or tokens (B, N, C), as timm's Swin and ViT
    times: int = 1  # pooled width over the map's; 2 where average and maximum stand side by side
    prefix: int = 0  # tokens before those of the patches (class, registers): not pooled
    axes: int = 2  # of the positions


class StandIn(nn.Module):
    """A pooling in the place of another, for the layout that the network has there."""

    pool_type = "dgmp"  # timm's heads compare it

    def __init__(self, pooling: nn.Module, shape: PooledShape) -> None:
        super().__init__()
        self.pooling = pooling
        self.shape = shape

    def forward(
        self,
        features: Tensor,  # (B, C, *positions), or channels last
        attn_mask: Tensor | None = None,  # (B, 1, 1, N): timm's, 0 where a token is
    ) -> Tensor:
        if self.shape.channels_last:
            features = features[:, self.shape.prefix :].movedim(-1, 1)
        if attn_mask is None:
            pooled = self.pooling(features)
        else:
            there = attn_mask.flatten(start_dim=1)[:, self.shape.prefix :] == 0
            pooled = self.pooling(features, there)
        pooled = pooled.flatten(start_dim=1)  # (B, out_channels)
        if self.shape.flat:
            return pooled
        for _ in range(self.shape.axes):  # not read off the features: torch.fx does not know them
            pooled = pooled.unsqueeze(1 if self.shape.channels_last else -1)
        return pooled

    def is_identity(self) -> bool:
        """Asked by some of timm's nets: whether the map is passed on unpooled."""
        return False

    def feat_mult(self) -> int:
        """Asked by timm's ``reset_classifier``: the pooled width over that of the map."""
        return widening(self.pooling)


def pooled_shape(module: nn.Module) -> PooledShape | None:
    """How ``module`` pools globally; ``None`` where it does not, or is not known to."""
    if isinstance(module, Pooling):
        return PooledShape(flat=True, times=widening(module))
    if isinstance(module, StandIn):
        return replace(module.shape, times=widening(module.pooling))
    kind = type(module).__name__
    if not isinstance(module, ADAPTIVE) and not ("Adaptive" in kind and "Pool" in kind):
        return None
    inner = getattr(module, "pool", module)  # timm keeps the pooling proper in here
    size = getattr(inner, "output_size", 1)
    if isinstance(inner, nn.Identity) or set(size if isinstance(size, tuple) else [size]) != {1}:
        return None
    axes = getattr(inner, "dim_reduce", getattr(inner, "dim", None))
    return PooledShape(
        flat=_flattens(module) or _flattens(inner),
        channels_last=axes == (1, 2),
        times=2 if "Cat" in type(inner).__name__ else 1,
        axes=next((n for n in (1, 2, 3) if kind.endswith(f"{n}d")), 2),
    )


def widths(pooling: nn.Module) -> tuple[int | None, int | None]:
    """The channels that a pooling takes and gives, ``None`` where it does not say."""
    taken, given = getattr(pooling, "channels", None), getattr(pooling, "out_channels", None)
    if taken is None:  # centring knows them too
        inside = (getattr(module, "channels", None) for module in pooling.modules())
        taken = next((channels for channels in inside if isinstance(channels, int)), None)
    return taken, given


def widening(pooling: nn.Module) -> int:
    """The width of the pooled vector over that of the map, as far as it is known."""
    taken, given = widths(pooling)
    return given // taken if taken and given else 1


def _flattens(module: nn.Module) -> bool:
    flatten = getattr(module, "flatten", False)
    return flatten is True or isinstance(flatten, nn.Flatten)

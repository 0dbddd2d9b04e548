"""Generalized max pooling (GMP): every position of an image counts alike.

Let the columns φᵢ of Φ (C×N) be the positions of one image. GMP returns the ξ of

    minimise Σᵢ wᵢ(φᵢᵀξ − 1)² + λ‖ξ‖²      λ: the ridge, wᵢ: the attention, 1 if not given

so that ξ is about equally similar to every position, however many others look like it. As
λ → ∞, λξ → Σᵢwᵢφᵢ (sum pooling); as λ → 0, φᵢᵀξ → 1 wherever that can be met.

What matters after ℓ2 normalisation is not λ but ρ = λ / Σᵢwᵢ‖φᵢ‖²: with ``relative=True`` the
ridge is ρ, and the result depends neither on the scale of the features nor on the size of the
image.

Murray, Jégou, Perronnin, Zisserman: Interferences in match kernels, TPAMI 2017.
Christlein et al.: Deep generalized max pooling, ICDAR 2019.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch._C import _are_functorch_transforms_active

from .center import RunningMean
from .differentiable import solve_ridge
from .layer import Pooling, flatten_positions, one_number
from .precision import exactly, widened
from .ridge import Solved

DEFAULT_RIDGE = 1e3  # the paper's best initial value
# Of centred and of raw maps: see docs/pooling.md, "How to choose the ridge".
DEFAULT_RELATIVE_RIDGE = 0.03
DEFAULT_RAW_RELATIVE_RIDGE = 1.0
# States of version 0.1 do not say which ridge they hold; none has a ρ of a hundred.
_LOG_LARGEST_RHO = math.log(100)


def generalized_max_pool(
    features: Tensor,  # (B, C, *positions)
    ridge: float | Tensor,  # a number, or a tensor () or (B,)
    *,
    relative: bool = False,
    attention: Tensor | None = None,  # (B, *positions)
) -> Tensor:  # (B, C)
    """Pool each image to the ξ of its ridge problem, exactly and not normalised.

    ``ridge`` is λ, or ρ = λ / Σᵢwᵢ‖φᵢ‖² where ``relative``. A number must be positive; a tensor is
    not read back, and an effective ρ below ``RIDGE_FLOOR`` = 16 machine epsilons (1.9e-6 in
    float32) is raised to it, so a tensor that is zero or negative pools with the smallest ridge
    that can be factorised. Gradients for the ridge pass that floor as if it were not there.

    ``attention`` holds a non-negative weight per position, or a boolean mask. Values under a zero
    weight never matter, not even NaN; a negative weight gives NaN for its image. An image with no
    position, or with zeros only, pools to zeros.

    float16 and bfloat16 features are solved in float32; the result has the type of the features.
    Features that are not finite give a result that is not finite and never raise; so does a ridge
    that is not. Gradient and tangent are written by hand and reuse the factor of the solution;
    second derivatives go through the textbook formula and are slower.
    """
    with exactly(features):
        phi, weights = flatten_positions(features, attention)
        pooled = solve_ridge(phi, weights, _as_tensor(ridge, phi), relative).pooled
    return pooled.to(features.dtype)


def generalized_max_weights(
    features: Tensor,  # (B, C, *positions)
    ridge: float | Tensor,
    *,
    relative: bool = False,
    attention: Tensor | None = None,
) -> Tensor:  # (B, *positions)
    """The weight α of each position in the pooled vector ξ = Σᵢ αᵢφᵢ, to look at.

    Rare positions get large weights, repeated ones share theirs. Weights can be negative. Where
    C ≤ N they come from αᵢ = wᵢ(1 − φᵢᵀξ)/λ, which loses digits for a very small ridge.
    Arguments as in :func:`generalized_max_pool`; no gradient passes.
    """
    with torch.no_grad(), exactly(features):
        phi, weights = flatten_positions(features, attention)
        solved = solve_ridge(phi, weights, _as_tensor(ridge, phi), relative)
        alpha = solved.beta if weights is None else solved.beta * weights.sqrt()
        alpha = alpha / solved.size.square().unsqueeze(1)
    return alpha.reshape(features.shape[0], *features.shape[2:]).to(features.dtype)


class GeneralizedMaxPool(Pooling):
    """See :func:`generalized_max_pool`: this is the layer, with a ridge that can be learned.

    ridge
        The initial λ, or ρ where ``relative``. Without a value λ is 1e3 and ρ is 0.03 for centred
        features, 1 for others, as docs/pooling.md recommends.
    learn_ridge
        True learns its logarithm, so that it stays positive; ``"linear"`` learns the number
        itself, as the paper does, which an optimiser can drive below zero, where the floor holds
        it; False keeps it fixed (it still travels in the ``state_dict``).
    center
        The number of channels, to subtract a channel mean first, as batch normalisation does:
        the batch's own while training (weighted by the attention, over all processes), a
        running mean afterwards. Features after a ReLU share a mean direction, along which a small
        ridge can satisfy every position at once; without it GMP says more. 0 leaves it out.
    normalize
        Bring the result to unit length, as the paper does.

    After each batch ``last_ridge`` and ``last_relative_ridge`` hold its mean λ and ρ for logs.
    """

    def __init__(
        self,
        ridge: float | None = None,
        *,
        relative: bool = False,
        learn_ridge: bool | Literal["linear"] = True,
        center: int = 0,
        normalize: bool = True,
    ) -> None:
        super().__init__(normalize=normalize)
        if center is True or not isinstance(center, int) or center < 0:  # False is 0: off
            raise ValueError(
                f"center must be the number of channels, such as center=512, or 0 for off, "
                f"got {center!r}"
            )
        if ridge is None:
            rho = DEFAULT_RELATIVE_RIDGE if center else DEFAULT_RAW_RELATIVE_RIDGE
            ridge = rho if relative else DEFAULT_RIDGE
        _check_positive(ridge)
        if learn_ridge not in (True, False, "linear"):
            raise ValueError(f'learn_ridge must be True, False or "linear", got {learn_ridge!r}')
        self.relative = relative
        self.learn_ridge = learn_ridge
        self.initial_ridge = float(ridge)
        self.mean = RunningMean(center) if center else None
        if learn_ridge == "linear":
            self.linear_ridge = nn.Parameter(one_number(self.initial_ridge))
        elif learn_ridge:
            self.log_ridge = nn.Parameter(one_number(math.log(ridge)))
        else:
            self.register_buffer("log_ridge", one_number(math.log(ridge)))
        self._last: tuple[Tensor, Tensor, Tensor] | None = None

    def reset_parameters(self) -> None:
        """Back to the ridge it was built with; the mean has a method of its own."""
        if self.learn_ridge == "linear":
            nn.init.constant_(self.linear_ridge, self.initial_ridge)
        else:
            nn.init.constant_(self.log_ridge, math.log(self.initial_ridge))

    @property
    def ridge(self) -> Tensor:
        """The ridge as it stands: λ, or ρ where relative; shape (1,)."""
        if self.learn_ridge == "linear":
            return widened(self.linear_ridge)
        return widened(self.log_ridge).exp()

    @property
    def last_ridge(self) -> float | None:
        """The mean λ of the last batch; reading it waits for the device."""
        if self._last is None:
            return None
        penalty, _, size = self._last
        return (penalty * size.square()).mean().item()

    @property
    def last_relative_ridge(self) -> float | None:
        """The mean ρ = λ / Σᵢwᵢ‖φᵢ‖² of the last batch's images that have any energy."""
        if self._last is None:
            return None
        penalty, energy, _ = self._last
        return torch.where(energy > 0, penalty / energy, torch.nan).nanmean().item()

    def pool(self, phi: Tensor, weights: Tensor | None) -> Tensor:
        if self.mean is not None:
            phi = self.mean(phi, weights)
        solved = solve_ridge(phi, weights, self.ridge.to(phi.dtype), self.relative)
        self._remember(solved)
        return solved.pooled

    def _remember(self, solved: Solved) -> None:
        # A graph cannot hold it, and under torch.func it would outlive its transform.
        if torch.compiler.is_exporting() or _are_functorch_transforms_active():
            return
        self._last = solved.penalty.detach(), solved.energy.detach(), solved.size.detach()

    def get_extra_state(self) -> Tensor:
        """What the ridge in a ``state_dict`` is: 1 for ρ, 0 for λ."""
        return torch.tensor([self.relative], dtype=torch.uint8)

    def set_extra_state(self, state: Tensor) -> None:
        """Checked before anything is loaded."""

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *others: Any) -> None:
        unit = state_dict.setdefault(prefix + "_extra_state", None)
        if unit is None:  # written by version 0.1
            state_dict[prefix + "_extra_state"] = self.get_extra_state()
            stored = state_dict.get(prefix + "log_ridge")
            relative = self.relative and (stored is None or stored.item() < _LOG_LARGEST_RHO)
        else:
            relative = bool(unit.item())
        if relative != self.relative:
            kinds = "a ridge relative to the energy, ρ", "an absolute ridge, λ"
            raise ValueError(
                f"{prefix or type(self).__name__}: the state holds {kinds[not relative]}, the "
                f"layer has {kinds[relative]}; build it with relative={relative}"
            )
        super()._load_from_state_dict(state_dict, prefix, *others)

    def extra_repr(self) -> str:
        return (
            f"ridge={self._shown_ridge():.4g}, relative={self.relative}, "
            f"learn_ridge={self.learn_ridge!r}, center={self.mean.channels if self.mean else 0}, "
            f"normalize={self.normalize}"
        )

    def _shown_ridge(self) -> float:
        """As it stands, or where it began if there is nothing to read, as on meta or sharded."""
        stored = self.linear_ridge if self.learn_ridge == "linear" else self.log_ridge
        plain = type(stored) in (nn.Parameter, Tensor) and stored.numel() == 1
        return self.ridge.item() if plain and not stored.is_meta else self.initial_ridge


def _as_tensor(ridge: float | Tensor, phi: Tensor) -> Tensor:
    if isinstance(ridge, Tensor):
        if ridge.shape not in ((), (1,), phi.shape[:1]):
            raise ValueError(
                f"ridge must be one number or one per image, shape () or {tuple(phi.shape[:1])}, "
                f"got {tuple(ridge.shape)}"
            )
        return widened(ridge).to(phi.dtype)
    _check_positive(ridge)
    return phi.new_tensor(ridge)


def _check_positive(ridge: float) -> None:
    if not isinstance(ridge, int | float) or not (ridge > 0 and math.isfinite(ridge)):
        raise ValueError(f"ridge must be a positive number, got {ridge!r}")

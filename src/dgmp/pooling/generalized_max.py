"""Generalized max pooling (GMP): every position of an image counts alike.

Let the columns φᵢ of Φ (C×N) be the positions of one image. GMP returns the ξ of

    minimise Σᵢ wᵢ(φᵢᵀξ − 1)² + λ‖ξ‖²      λ: the ridge, wᵢ: the attention, 1 if not given

so that ξ is about equally similar to every position, however many others look like it. As
λ → ∞, λξ → Σᵢwᵢφᵢ (sum pooling); as λ → 0, φᵢᵀξ → 1 wherever that can be met.

What matters after ℓ2 normalisation is not λ but ρ = λ / Σᵢwᵢ‖φᵢ‖²: with ``relative=True`` the
ridge is ρ, and the result depends neither on the scale of the features nor on the size of the
image.

The layer without arguments has other targets than one: :mod:`dgmp.pooling.energy`.

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
from .energy import solve_energy
from .layer import Pooling, flatten_positions, one_number
from .precision import exactly, widened
from .ridge import Solved

DEFAULT_RIDGE = 1e3  # the paper's best initial value
# Of centred and of raw maps: see docs/pooling.md, "How to choose the ridge".
DEFAULT_RELATIVE_RIDGE = 0.03
DEFAULT_RAW_RELATIVE_RIDGE = 1.0
# Of targets of energy: see docs/which.md.
DEFAULT_ENERGY_RIDGE = 1.0
DEFAULT_GROUP = 16  # channels
# What a state says its ridge is: the number of one of these.
_KINDS = ("an absolute ridge, λ", "a ridge relative to the energy, ρ", "the ρ of targets of energy")
ENERGY_STATE = 2
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


def energy_max_pool(
    features: Tensor,  # (B, C, *positions)
    ridge: float | Tensor,  # ρ: a positive number, or a tensor () or (1,)
    *,
    group: int = DEFAULT_GROUP,
    attention: Tensor | None = None,  # (B, *positions)
) -> Tensor:  # (B, C)
    """Pool each image to (1 + ρ)ξ, where φᵢᵀξ is to be the energy of the position, ‖φᵢ‖².

    A mean of the positions: images of one colour keep it, whatever their size, and the vector
    grows with the features. ``group`` channels are solved together, each group with energies of
    its own. See :mod:`dgmp.pooling.energy`; the rest is as in :func:`generalized_max_pool`.
    """
    with exactly(features):
        phi, weights = flatten_positions(features, attention)
        rho = _as_tensor(ridge, phi[:1])
        pooled, _ = solve_energy(phi, weights, rho, group)
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
    """The layer, with a ridge that can be learned.

    Without arguments it is :func:`energy_max_pool`: each position counts by its energy, and the
    vector is a mean of the positions, so the layer can stand where an average stood. With a
    ``ridge`` or ``relative`` it is the paper's :func:`generalized_max_pool`, at unit length.
    docs/which.md compares both with other poolings.

    ridge
        The initial λ, or ρ where ``relative``. Without a value λ is 1e3; ρ is 1, but 0.03 for
        centred features and a target of one, as docs/pooling.md recommends.
    relative
        Whether the ridge is ρ = λ / Σᵢwᵢ‖φᵢ‖². Targets of energy have no other.
    target
        What φᵢᵀξ is to be: ``"energy"``, ‖φᵢ‖², or ``"one"``, as in the paper. If not given, energy
        where neither ``ridge`` nor ``relative`` is given.
    group
        With targets of energy the number of channels that are solved together, 16 if not given.
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
        Bring the result to unit length; if not given, with targets of one, as the paper does.

    After each batch ``last_ridge`` and ``last_relative_ridge`` hold its mean λ and ρ for logs.
    """

    def __init__(
        self,
        ridge: float | None = None,
        *,
        relative: bool | None = None,
        target: Literal["energy", "one"] | None = None,
        group: int | None = None,
        learn_ridge: bool | Literal["linear"] = True,
        center: int = 0,
        normalize: bool | None = None,
    ) -> None:
        if target is None:
            target = "energy" if ridge is None and relative is None else "one"
        super().__init__(normalize=target == "one" if normalize is None else normalize)
        if target not in ("energy", "one"):
            raise ValueError(f'target must be "energy" or "one", got {target!r}')
        if target == "energy" and relative is False:
            raise ValueError("targets of energy have a relative ridge; leave relative=False out")
        if target == "one" and group is not None:
            raise ValueError('channels are grouped with target="energy" only; leave group out')
        if group is not None and (isinstance(group, bool) or group < 1):
            raise ValueError(f"group must be a number of channels, at least 1, got {group!r}")
        if center is True or not isinstance(center, int) or center < 0:  # False is 0: off
            raise ValueError(
                f"center must be the number of channels, such as center=512, or 0 for off, "
                f"got {center!r}"
            )
        self.relative = target == "energy" or bool(relative)
        if ridge is None:
            if target == "energy":
                ridge = DEFAULT_ENERGY_RIDGE
            else:
                rho = DEFAULT_RELATIVE_RIDGE if center else DEFAULT_RAW_RELATIVE_RIDGE
                ridge = rho if relative else DEFAULT_RIDGE
        _check_positive(ridge)
        if learn_ridge not in (True, False, "linear"):
            raise ValueError(f'learn_ridge must be True, False or "linear", got {learn_ridge!r}')
        self.target = target
        self.group = DEFAULT_GROUP if group is None else group
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
        ridge = self.ridge.to(phi.dtype)
        if self.target == "energy":
            pooled, solved = solve_energy(phi, weights, ridge, self.group)
        else:
            solved = solve_ridge(phi, weights, ridge, self.relative)
            pooled = solved.pooled
        self._remember(solved)
        return pooled

    def _remember(self, solved: Solved) -> None:
        # A graph cannot hold it, and under torch.func it would outlive its transform.
        if torch.compiler.is_exporting() or _are_functorch_transforms_active():
            return
        self._last = solved.penalty.detach(), solved.energy.detach(), solved.size.detach()

    @property
    def _kind(self) -> int:
        return ENERGY_STATE if self.target == "energy" else int(self.relative)

    def get_extra_state(self) -> Tensor:
        """What the ridge in a ``state_dict`` is: 0 for λ, 1 for ρ, 2 for ρ of targets of energy."""
        return torch.tensor([self._kind], dtype=torch.uint8)

    def set_extra_state(self, state: Tensor) -> None:
        """Checked before anything is loaded."""

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *others: Any) -> None:
        stored = state_dict.setdefault(prefix + "_extra_state", None)
        if stored is None:  # written by version 0.1, which knew targets of one only
            state_dict[prefix + "_extra_state"] = self.get_extra_state()
            ridge = state_dict.get(prefix + "log_ridge")
            kind = int(self.relative and (ridge is None or ridge.item() < _LOG_LARGEST_RHO))
        else:
            kind = int(stored.item())
        if kind != self._kind:
            built = ("relative=False", "relative=True", 'target="energy"')[kind]
            raise ValueError(
                f"{prefix or type(self).__name__}: the state holds {_KINDS[kind]}, the "
                f"layer has {_KINDS[self._kind]}; build it with {built}"
            )
        super()._load_from_state_dict(state_dict, prefix, *others)

    def extra_repr(self) -> str:
        group = f", group={self.group}" if self.target == "energy" else ""
        return (
            f"ridge={self._shown_ridge():.4g}, relative={self.relative}, "
            f"target={self.target!r}{group}, learn_ridge={self.learn_ridge!r}, "
            f"center={self.mean.channels if self.mean else 0}, normalize={self.normalize}"
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

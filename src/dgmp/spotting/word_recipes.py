"""All values of a training on words, as a frozen dataclass."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from ..errors import DgmpError
from ..names import check_name
from .word_model import WordSpec
from .word_pictures import WordChanges

LOSSES = ("bce", "cosine")


@dataclass(frozen=True)
class WordRecipe:
    """A training on words from its network to its schedule."""

    model: WordSpec = field(default_factory=WordSpec)
    changes: WordChanges = field(default_factory=WordChanges)
    loss: str = "bce"  # bce: for PHOC; cosine: for any embedding
    epochs: int = 30
    epoch_steps: int = 150
    batch: int = 16
    balance: float = 0.5  # words are drawn by their number to the power 1 − this; 1: all alike
    learning_rate: float = 1.5e-3
    decay_from: int = 10  # the epoch from which the learning rate falls
    final_rate: float = 0.02  # share of the learning rate that is left at the end
    warmup_steps: int = 100
    weight_decay: float = 5e-5
    pooling_rate: float = 3.0  # times the learning rate, for the pooling's parameters
    validation: float = 0.0  # share of the pages that are held out
    validate_every: int = 5  # epochs

    def __post_init__(self) -> None:
        check_name(self.loss, LOSSES, "loss")
        if self.loss == "bce" and not self.model.embedding.binary:
            raise DgmpError("loss bce needs the embedding phoc; dctow is learned with loss cosine")
        for name in ("epochs", "epoch_steps", "validate_every"):
            if getattr(self, name) < 1:
                raise DgmpError(f"{name} must be at least 1, got {getattr(self, name)}")
        if self.batch < 2:
            raise DgmpError(f"batch must be at least 2, to be normalised, got {self.batch}")
        for name in ("learning_rate", "pooling_rate"):
            if not 0 < getattr(self, name) < math.inf:
                raise DgmpError(f"{name} must be positive, got {getattr(self, name)}")
        for name in ("decay_from", "warmup_steps", "weight_decay"):
            if not 0 <= getattr(self, name) < math.inf:
                raise DgmpError(f"{name} must not be negative, got {getattr(self, name)}")
        if not 0 < self.final_rate <= 1:
            raise DgmpError(f"final_rate must be above 0 and at most 1, got {self.final_rate}")
        if not 0 <= self.balance <= 1:
            raise DgmpError(f"balance must be from 0 to 1, got {self.balance}")
        if not 0 <= self.validation < 1:
            raise DgmpError(f"validation must be from 0 to below 1, got {self.validation}")

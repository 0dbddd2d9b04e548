"""Training: recipes, batches, losses, the loop, run folders, many processes."""

from .augmentation import Augmentation, augmented_square
from .choosing import choose_pages
from .distributed import is_first
from .learning import Learning, learn
from .loop import Progress, train
from .recipes import RECIPES, Recipe, find_recipe, override
from .runs import Run, TrainState

__all__ = [
    "RECIPES",
    "Augmentation",
    "Learning",
    "Progress",
    "Recipe",
    "Run",
    "TrainState",
    "augmented_square",
    "choose_pages",
    "find_recipe",
    "is_first",
    "learn",
    "override",
    "train",
]

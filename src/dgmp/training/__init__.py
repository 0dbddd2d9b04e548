"""Training: recipes, batches, losses, the loop, run folders, many processes."""

from .augmentation import Augmentation, augmented_patch
from .choosing import choose_pages
from .curves import Curve, draw_curves, error_curve, plot_error_curves
from .distributed import is_first
from .gradient import check_loss
from .learning import Learning, learn
from .loop import train
from .progress import Logger, TensorBoard, TrainingProgress, Watcher, Watchers, find_logger
from .recipes import RECIPES, Recipe, find_recipe, override, with_pooling
from .runs import Run, TrainState
from .schedules import make_optimizer, set_learning_rate
from .stopping import stop_on_signal

__all__ = [
    "RECIPES",
    "Augmentation",
    "Curve",
    "Learning",
    "Logger",
    "Recipe",
    "Run",
    "TensorBoard",
    "TrainState",
    "TrainingProgress",
    "Watcher",
    "Watchers",
    "augmented_patch",
    "check_loss",
    "choose_pages",
    "draw_curves",
    "error_curve",
    "find_logger",
    "find_recipe",
    "is_first",
    "learn",
    "make_optimizer",
    "override",
    "plot_error_curves",
    "set_learning_rate",
    "stop_on_signal",
    "train",
    "with_pooling",
]

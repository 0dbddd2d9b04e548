"""Deep generalized max pooling, and what it does for manuscripts.

The names most people need; each is imported when it is first used.
"""

from typing import TYPE_CHECKING

from .names import lazy_names

if TYPE_CHECKING:
    from .catalogue import Catalogue
    from .corpora import open_corpus
    from .describers import load_describer
    from .models import replace_global_pooling
    from .pooling import GeneralizedMaxPool, generalized_max_pool, make_pooling
    from .synthetic import synthesize
    from .tasks import describe, evaluate, group, search

__version__ = "0.2.0"

_ROOMS = {
    "Catalogue": ".catalogue",
    "GeneralizedMaxPool": ".pooling",
    "describe": ".tasks",
    "evaluate": ".tasks",
    "generalized_max_pool": ".pooling",
    "group": ".tasks",
    "load_describer": ".describers",
    "make_pooling": ".pooling",
    "open_corpus": ".corpora",
    "replace_global_pooling": ".models",
    "search": ".tasks",
    "synthesize": ".synthetic",
}
__getattr__ = lazy_names(__name__, _ROOMS)

__all__ = [
    "Catalogue",
    "GeneralizedMaxPool",
    "__version__",
    "describe",
    "evaluate",
    "generalized_max_pool",
    "group",
    "load_describer",
    "make_pooling",
    "open_corpus",
    "replace_global_pooling",
    "search",
    "synthesize",
]

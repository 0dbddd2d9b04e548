"""All poolings by name."""

from __future__ import annotations

import inspect
from typing import Any

from ..errors import DgmpError
from ..plugins import find
from .attentive import AttentiveGeneralizedMaxPool
from .average import AveragePool
from .covariance import CovariancePool
from .democratic import DemocraticPool, GammaDemocraticPool
from .gated import GatedPool
from .generalized_max import GeneralizedMaxPool
from .generalized_mean import GeneralizedMeanPool
from .generalized_sum import GeneralizedSumPool
from .layer import Pooling
from .log_sum_exp import LogSumExpPool
from .maximum import MaxPool
from .mixed import MixedPool
from .netrvlad import NetRvladPool
from .salad import SaladPool
from .simpool import SimPool
from .tree import TreePool

POOLINGS: dict[str, type[Pooling]] = {
    "avg": AveragePool,
    "max": MaxPool,
    "mixed": MixedPool,
    "lse": LogSumExpPool,
    "gem": GeneralizedMeanPool,
    "gated": GatedPool,
    "tree": TreePool,
    "democratic": DemocraticPool,
    "gamma-democratic": GammaDemocraticPool,
    "isqrt-cov": CovariancePool,
    "netrvlad": NetRvladPool,
    "salad": SaladPool,
    "simpool": SimPool,
    "gsp": GeneralizedSumPool,
    "gmp": GeneralizedMaxPool,
    "attentive-gmp": AttentiveGeneralizedMaxPool,
}


def make_pooling(name: str, *, channels: int, **options: Any) -> Pooling:
    """The pooling called ``name`` for features of that many channels; its widths are always set.

    The options are the arguments of its class; all have ``normalize``. ``center=True`` stands for
    ``center=channels``, so that no caller need say their number twice.
    """
    kind = find(name, POOLINGS, "pooling")
    if not (isinstance(kind, type) and issubclass(kind, Pooling)):
        raise DgmpError(f"the pooling {name!r} is no subclass of dgmp.pooling.Pooling: {kind!r}")
    if channels < 1:
        raise ValueError(f"channels must be at least 1, got {channels}")
    arguments = list(inspect.signature(kind).parameters)
    known = [argument for argument in arguments if argument != "channels"]
    unknown = [option for option in options if option not in known]
    if unknown:
        raise TypeError(
            f"pooling {name!r} has no option {', '.join(map(repr, unknown))}; "
            f"its options are {', '.join(known)}"
        )
    if options.get("center") is True:
        options["center"] = channels
    if "channels" in arguments:
        options["channels"] = channels
    pooling = kind(**options)
    pooling.channels = channels
    pooling.out_channels = channels if pooling.out_channels is None else pooling.out_channels
    return pooling

"""Feature map to vector. What writes ONNX needs the extra ``export``."""

from typing import TYPE_CHECKING

from ..names import lazy_names
from .attentive import AttentiveGeneralizedMaxPool
from .average import AveragePool
from .covariance import CovariancePool
from .democratic import DemocraticPool, GammaDemocraticPool
from .gated import GatedPool
from .generalized_max import (
    ENERGY_STATE,
    GeneralizedMaxPool,
    energy_max_pool,
    generalized_max_pool,
    generalized_max_weights,
)
from .generalized_mean import GeneralizedMeanPool
from .generalized_sum import GeneralizedSumPool
from .layer import Pooling, flatten_positions, parameter_groups, pooling_parameters, unit_length
from .log_sum_exp import LogSumExpPool
from .masks import map_mask
from .maximum import MaxPool
from .mixed import MixedPool
from .netrvlad import NetRvladPool
from .plain_operators import plain_program
from .power import PowerNormalized
from .salad import SaladPool
from .simpool import SimPool
from .tree import TreePool
from .zoo import POOLINGS, make_pooling

if TYPE_CHECKING:
    from .export import export_onnx, onnx_translations

__getattr__ = lazy_names(__name__, {"export_onnx": ".export", "onnx_translations": ".export"})

__all__ = [
    "ENERGY_STATE",
    "POOLINGS",
    "AttentiveGeneralizedMaxPool",
    "AveragePool",
    "CovariancePool",
    "DemocraticPool",
    "GammaDemocraticPool",
    "GatedPool",
    "GeneralizedMaxPool",
    "GeneralizedMeanPool",
    "GeneralizedSumPool",
    "LogSumExpPool",
    "MaxPool",
    "MixedPool",
    "NetRvladPool",
    "Pooling",
    "PowerNormalized",
    "SaladPool",
    "SimPool",
    "TreePool",
    "energy_max_pool",
    "export_onnx",
    "flatten_positions",
    "generalized_max_pool",
    "generalized_max_weights",
    "make_pooling",
    "map_mask",
    "onnx_translations",
    "parameter_groups",
    "plain_program",
    "pooling_parameters",
    "unit_length",
]

"""Backbones: image -> map -> pooling -> vector; their weights; surgery on other people's."""

from .backbone import Backbone, start_weights
from .backbones import BACKBONES, make_backbone
from .efficientnet_lite import EfficientNetLite0, efficientnet_lite0, lite0_weights
from .hub import fetched, write_card
from .network_files import TrainedModel, load_model, save_model
from .resnet import ResNet, resnet18, resnet34, resnet50
from .resnet8 import ResNet8, resnet8
from .resnet20 import ResNet20, resnet20
from .spec import PAPER, InputSpec, ModelSpec, cut_patch
from .standardization import Standardization, fit_standardization, fit_zca
from .surgery import replace_global_pooling
from .timm_backbone import TimmBackbone
from .weights import LoadedWeights, load_weights

__all__ = [
    "BACKBONES",
    "PAPER",
    "Backbone",
    "EfficientNetLite0",
    "InputSpec",
    "LoadedWeights",
    "ModelSpec",
    "ResNet",
    "ResNet8",
    "ResNet20",
    "Standardization",
    "TimmBackbone",
    "TrainedModel",
    "cut_patch",
    "efficientnet_lite0",
    "fetched",
    "fit_standardization",
    "fit_zca",
    "lite0_weights",
    "load_model",
    "load_weights",
    "make_backbone",
    "replace_global_pooling",
    "resnet8",
    "resnet18",
    "resnet20",
    "resnet34",
    "resnet50",
    "save_model",
    "start_weights",
    "write_card",
]

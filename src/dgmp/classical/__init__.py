"""Describers without learning by gradient, to use at once and to compare with."""

from .clustering import surrogate_classes
from .describers import (
    ClassicalDescriber,
    Look,
    RootSiftVlad,
    fit_looks,
    fit_rootsift_vlad,
    look_at,
    three_looks,
)
from .exemplar import ExemplarSvm, fit_exemplar_svm
from .hinge import CoHinge, Hinge
from .kinds import CLASSICAL, Kind, fit_classical, load_classical, save_describer
from .obif import Obif
from .scripts import (
    ScriptClassifier,
    fit_script_classifier,
    load_script_classifier,
    save_script_classifier,
)
from .sift import Keypoints, Sift, cut_keypoint_patches
from .srs_lbp import SrsLbp
from .vlad import Vlad, VladConfig, encode_pages, fit_pages_vlad, fit_vlad
from .whitening import (
    HardWhitening,
    RoundedMatrix,
    RoundedProjection,
    Sketch,
    SoftWhitening,
    fit_hard_whitening,
    fit_soft_projection,
    fit_soft_whitening,
)

__all__ = [
    "CLASSICAL",
    "ClassicalDescriber",
    "CoHinge",
    "ExemplarSvm",
    "HardWhitening",
    "Hinge",
    "Keypoints",
    "Kind",
    "Look",
    "Obif",
    "RootSiftVlad",
    "RoundedMatrix",
    "RoundedProjection",
    "ScriptClassifier",
    "Sift",
    "Sketch",
    "SoftWhitening",
    "SrsLbp",
    "Vlad",
    "VladConfig",
    "cut_keypoint_patches",
    "encode_pages",
    "fit_classical",
    "fit_exemplar_svm",
    "fit_hard_whitening",
    "fit_looks",
    "fit_pages_vlad",
    "fit_rootsift_vlad",
    "fit_script_classifier",
    "fit_soft_projection",
    "fit_soft_whitening",
    "fit_vlad",
    "load_classical",
    "load_script_classifier",
    "look_at",
    "save_describer",
    "save_script_classifier",
    "surrogate_classes",
    "three_looks",
]

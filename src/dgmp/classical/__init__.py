"""Describers without learning by gradient, to use at once and to compare with."""

from .clustering import surrogate_classes
from .contributions import (
    Contributions,
    WordShares,
    finish_encoding,
    joined,
    pair_shares,
    vlad_contributions,
)
from .describers import (
    ClassicalDescriber,
    Look,
    PageFeatures,
    RootSiftVlad,
    VectorStep,
    fit_looks,
    fit_rootsift_vlad,
    look_at,
    three_looks,
)
from .exemplar import ExemplarSvm, fit_exemplar_svm
from .fitted_files import FORMAT as DESCRIBER_FORMAT
from .fitted_files import HEAD, config_of, fingerprint, load_fitted, read_head, save_fitted
from .hinge import CoHinge, Hinge
from .kinds import (
    CLASSICAL,
    ClassicalKind,
    finish_describer,
    fit_classical,
    load_classical,
    save_describer,
    stored_classes,
)
from .mirrors import MIRRORS, mirrored_descriptors, mirrored_texture
from .obif import Obif
from .scripts import (
    ScriptClassifier,
    fit_linear,
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
    unit_rows,
)

__all__ = [
    "CLASSICAL",
    "DESCRIBER_FORMAT",
    "HEAD",
    "MIRRORS",
    "ClassicalDescriber",
    "ClassicalKind",
    "CoHinge",
    "Contributions",
    "ExemplarSvm",
    "HardWhitening",
    "Hinge",
    "Keypoints",
    "Look",
    "Obif",
    "PageFeatures",
    "RootSiftVlad",
    "RoundedMatrix",
    "RoundedProjection",
    "ScriptClassifier",
    "Sift",
    "Sketch",
    "SoftWhitening",
    "SrsLbp",
    "VectorStep",
    "Vlad",
    "VladConfig",
    "WordShares",
    "config_of",
    "cut_keypoint_patches",
    "encode_pages",
    "fingerprint",
    "finish_describer",
    "finish_encoding",
    "fit_classical",
    "fit_exemplar_svm",
    "fit_hard_whitening",
    "fit_linear",
    "fit_looks",
    "fit_pages_vlad",
    "fit_rootsift_vlad",
    "fit_script_classifier",
    "fit_soft_projection",
    "fit_soft_whitening",
    "fit_vlad",
    "joined",
    "load_classical",
    "load_fitted",
    "load_script_classifier",
    "look_at",
    "mirrored_descriptors",
    "mirrored_texture",
    "pair_shares",
    "read_head",
    "save_describer",
    "save_fitted",
    "save_script_classifier",
    "stored_classes",
    "surrogate_classes",
    "three_looks",
    "unit_rows",
    "vlad_contributions",
]

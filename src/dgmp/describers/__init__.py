"""Page pixels to a vector: the protocol, the registry, and every kind of describer.

What needs torch is imported when it is first used.
"""

from typing import TYPE_CHECKING

from ..names import lazy_names
from .averaged import AveragedClassifier, at_sizes
from .calibration_files import save_calibration
from .describer import (
    Classified,
    Classifier,
    Described,
    Describer,
    Read,
    classify_pages,
    describe_pages,
    full_spec,
    gather,
    page_and_halves,
    reader,
)
from .descriptor_files import load_descriptors, save_descriptors
from .fused import FusedDescriber, save_fused
from .making import FusedRecipe, See, Seen, make_default, make_fused
from .pieces import (
    PieceShares,
    SharedCosine,
    contributions_of,
    on_page,
    piece_vectors,
    share_cosine,
    strongest_pieces,
    unlike_first,
)
from .registry import (
    MODEL,
    fit_describer,
    is_classifier,
    is_kind,
    load,
    load_classifier,
    load_describer,
    load_network,
    needs_fitting,
    stored_name,
)
from .script_types import (
    FusedScripts,
    fit_script_types,
    left_out_probabilities,
    save_script_types,
    with_third_part,
)

if TYPE_CHECKING:
    from .explanations import ExplainedPage, explain_page, is_explainable
    from .heat_maps import draw_likeness, draw_weights, likeness_pictures
    from .keypoints import (
        KeypointDescriber,
        fit_keypoint_describer,
        keypoint_rectangles,
        save_keypoint_encoding,
    )
    from .learned import LearnedClassifier, LearnedDescriber, as_standardization
    from .pretrained import from_pretrained, save_pretrained

__getattr__ = lazy_names(
    __name__,
    {
        "ExplainedPage": ".explanations",
        "KeypointDescriber": ".keypoints",
        "LearnedClassifier": ".learned",
        "LearnedDescriber": ".learned",
        "as_standardization": ".learned",
        "draw_likeness": ".heat_maps",
        "draw_weights": ".heat_maps",
        "explain_page": ".explanations",
        "fit_keypoint_describer": ".keypoints",
        "from_pretrained": ".pretrained",
        "save_pretrained": ".pretrained",
        "is_explainable": ".explanations",
        "keypoint_rectangles": ".keypoints",
        "likeness_pictures": ".heat_maps",
        "save_keypoint_encoding": ".keypoints",
    },
)

__all__ = [
    "MODEL",
    "AveragedClassifier",
    "Classified",
    "Classifier",
    "Described",
    "Describer",
    "ExplainedPage",
    "FusedDescriber",
    "FusedRecipe",
    "FusedScripts",
    "KeypointDescriber",
    "LearnedClassifier",
    "LearnedDescriber",
    "PieceShares",
    "Read",
    "See",
    "Seen",
    "SharedCosine",
    "as_standardization",
    "at_sizes",
    "classify_pages",
    "contributions_of",
    "describe_pages",
    "draw_likeness",
    "draw_weights",
    "explain_page",
    "fit_describer",
    "fit_keypoint_describer",
    "fit_script_types",
    "from_pretrained",
    "full_spec",
    "gather",
    "is_classifier",
    "is_explainable",
    "is_kind",
    "keypoint_rectangles",
    "left_out_probabilities",
    "likeness_pictures",
    "load",
    "load_classifier",
    "load_describer",
    "load_descriptors",
    "load_network",
    "make_default",
    "make_fused",
    "needs_fitting",
    "on_page",
    "page_and_halves",
    "piece_vectors",
    "reader",
    "save_calibration",
    "save_descriptors",
    "save_fused",
    "save_keypoint_encoding",
    "save_pretrained",
    "save_script_types",
    "share_cosine",
    "stored_name",
    "strongest_pieces",
    "unlike_first",
    "with_third_part",
]

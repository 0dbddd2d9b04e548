"""One function per verb that joins rooms: what the command line and a notebook both call."""

from typing import TYPE_CHECKING

from ..names import lazy_names

if TYPE_CHECKING:
    from .calibrating import Calibrated, calibrate
    from .classifying import classify
    from .comparing import Comparison, Letterforms, Piece, PiecePair, compare, letterforms
    from .deciding import (
        contradictions,
        decide,
        decide_all,
        decisions,
        exchange_decisions,
        export_decisions,
        history,
        import_decisions,
        review,
        undo,
    )
    from .describing import Catalogued, DescriptorFile, describe, describe_to_file
    from .evaluating import Judged, evaluate, score_search
    from .explaining import Explanation, explain
    from .exporting import export, export_model
    from .grouping import (
        Agreement,
        agreement,
        check_part,
        export_hands,
        follow,
        group,
        stored_hands,
    )
    from .searching import search
    from .spotting import Spotted, changed_pages, describe_place, index_words, spot
    from .surveying import survey

_FILES = {
    "Agreement": ".grouping",
    "Calibrated": ".calibrating",
    "Catalogued": ".describing",
    "Comparison": ".comparing",
    "DescriptorFile": ".describing",
    "Explanation": ".explaining",
    "Judged": ".evaluating",
    "Letterforms": ".comparing",
    "Piece": ".comparing",
    "PiecePair": ".comparing",
    "Spotted": ".spotting",
    "agreement": ".grouping",
    "calibrate": ".calibrating",
    "changed_pages": ".spotting",
    "check_part": ".grouping",
    "classify": ".classifying",
    "compare": ".comparing",
    "contradictions": ".deciding",
    "decide": ".deciding",
    "decide_all": ".deciding",
    "decisions": ".deciding",
    "describe": ".describing",
    "describe_place": ".spotting",
    "describe_to_file": ".describing",
    "evaluate": ".evaluating",
    "exchange_decisions": ".deciding",
    "explain": ".explaining",
    "export": ".exporting",
    "export_decisions": ".deciding",
    "export_hands": ".grouping",
    "export_model": ".exporting",
    "follow": ".grouping",
    "group": ".grouping",
    "history": ".deciding",
    "import_decisions": ".deciding",
    "index_words": ".spotting",
    "letterforms": ".comparing",
    "review": ".deciding",
    "score_search": ".evaluating",
    "search": ".searching",
    "spot": ".spotting",
    "stored_hands": ".grouping",
    "survey": ".surveying",
    "undo": ".deciding",
}
__getattr__ = lazy_names(__name__, _FILES)

__all__ = [
    "Agreement",
    "Calibrated",
    "Catalogued",
    "Comparison",
    "DescriptorFile",
    "Explanation",
    "Judged",
    "Letterforms",
    "Piece",
    "PiecePair",
    "Spotted",
    "agreement",
    "calibrate",
    "changed_pages",
    "check_part",
    "classify",
    "compare",
    "contradictions",
    "decide",
    "decide_all",
    "decisions",
    "describe",
    "describe_place",
    "describe_to_file",
    "evaluate",
    "exchange_decisions",
    "explain",
    "export",
    "export_decisions",
    "export_hands",
    "export_model",
    "follow",
    "group",
    "history",
    "import_decisions",
    "index_words",
    "letterforms",
    "review",
    "score_search",
    "search",
    "spot",
    "stored_hands",
    "survey",
    "undo",
]

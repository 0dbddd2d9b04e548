"""Describers in folders that can be given away, with a card; also on the Hugging Face Hub."""

from __future__ import annotations

from pathlib import Path

from ..classical import ClassicalDescriber, save_describer
from ..errors import DgmpError
from ..models import fetched, save_model, write_card
from .calibration_files import save_calibration
from .describer import Describer
from .fused import FusedDescriber, save_fused
from .keypoints import KeypointDescriber, save_keypoint_encoding
from .learned import LearnedDescriber
from .registry import load_describer

USE = """from dgmp.describers import from_pretrained
from dgmp.tasks import describe

describer = from_pretrained("FOLDER or owner/name")
describe("scans", "scans.catalogue", describer="FOLDER")"""


def save_pretrained(describer: Describer, folder: Path | str) -> Path:
    """Write a describer of dgmp and its card into a folder, which ``from_pretrained`` reads."""
    folder = Path(folder)
    if isinstance(describer, LearnedDescriber | KeypointDescriber):
        save_model(describer.model, folder)
        if isinstance(describer, KeypointDescriber):
            save_keypoint_encoding(describer, folder)
        if describer.calibration is not None:
            save_calibration(describer.calibration, describer, folder)
    elif isinstance(describer, FusedDescriber):
        save_fused(describer, folder)
    elif isinstance(describer, ClassicalDescriber):
        save_describer(describer, folder)
    else:
        raise DgmpError(
            f"a {type(describer).__name__} cannot be saved by dgmp: its package writes and reads it"
        )
    facts = {
        "kind": describer.spec.get("kind"),
        "width of a vector": describer.dim,
        "pages are brought to": describer.preparation,
        "probabilities of one hand": "calibrated" if describer.calibration else "not calibrated",
    }
    tags = ("image-feature-extraction", "handwriting", "writer-retrieval")
    write_card(folder, "A describer of dgmp: pages of writing to vectors", tags, USE, facts)
    return folder


def from_pretrained(
    place: Path | str, *, revision: str | None = None, device: str = "auto"
) -> Describer:
    """The describer of a folder, or of ``owner/name`` on the Hub, ready for pages."""
    return load_describer(fetched(place, revision), device=device)

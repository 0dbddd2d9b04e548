"""What the cosines of a trained network say about hands, learned from pages by known writers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..corpora import Corpus
from ..describers import MODEL, describe_pages, load_describer, save_calibration
from ..engines import Engine
from ..errors import CorpusError, DgmpError
from ..evaluation import check_labels
from ..hands import Calibration, fit_calibration
from ..records import Stage
from .opening import opened, trained_on
from .readying import KnownScale, scale_pages


@dataclass(frozen=True)
class Calibrated:
    """A calibration that was written, and what it was learned from."""

    calibration: Calibration
    path: Path
    pages: int
    writers: int
    failures: tuple[tuple[str, str], ...]  # page id, reason

    def __str__(self) -> str:
        return f"{self.path}: from {self.pages} pages by {self.writers} writers"


def calibrate(
    run: Path | str,
    corpus: Corpus | Path | str,
    *,
    split: str | None = None,
    engine: Engine | None = None,
    stage: Stage | None = None,
) -> Calibrated:
    """Learn from pages by known writers how alike a run finds pages by one hand.

    Pages that the run learned from are left out, as it sets them too far apart; so are test pages,
    unless ``split`` names them.
    """
    run = Path(run)
    if not (run / MODEL).is_file():
        raise DgmpError(
            f"{run}: is no folder of a run of dgmp train or dgmp learn; of other describers only "
            "default is calibrated, and it comes so"
        )
    describer = load_describer(run)
    found = opened(corpus)
    seen = trained_on(run, found)
    if split is None:
        seen |= {page.id for page in found if page.split == "test"}
    wanted = found.pages if split is None else found.in_split(split)
    fresh = [page for page in wanted if page.id not in seen]
    if not fresh:
        raise CorpusError(
            f"{found.root}: all of its {len(wanted)} pages were learned from or are test pages; "
            "calibration needs pages by known writers that the run has not seen: another corpus, "
            "or --split test"
        )
    check_labels(fresh, "writer")
    scaled = scale_pages(
        fresh,
        describer.preparation,
        KnownScale(),
        describer=describer,
        engine=engine,
        stage=stage,
    )
    progress = None if stage is None else stage("describing pages", len(scaled.pages))
    described = describe_pages(
        scaled.pages,
        describer,
        distances=scaled.distances,
        halves=True,
        engine=engine,
        progress=progress,
    )
    pages = described.pages
    writers = [page.writer for page in pages]
    try:
        calibration = fit_calibration(described.descriptors, writers, [page.scan for page in pages])
    except ValueError as error:
        raise CorpusError(
            f"{len(pages)} pages by {len(set(writers))} writers cannot calibrate a describer: "
            f"{error}"
        ) from error
    path = save_calibration(calibration, describer, run)
    failures = (*scaled.left_out, *described.failures)
    return Calibrated(calibration, path, len(pages), len(set(writers)), failures)

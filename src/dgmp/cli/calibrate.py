"""``dgmp calibrate``: what the cosines of a run say about hands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from .options import AsJson, Kind, Labels, SplitFile, Variant, Workers


def calibrate(
    run: Annotated[Path, Argument(help="The folder of a run of dgmp train or dgmp learn.")],
    corpus: Annotated[Path, Argument(help="Pages by known writers: a folder or a label file.")],
    split: Annotated[
        str | None, Option(help="Only this side; else all that were not learned from, but test.")
    ] = None,
    workers: Workers = 0,
    kind: Kind = None,
    labels: Labels = None,
    variant: Variant = None,
    split_file: SplitFile = None,
    as_json: AsJson = False,
) -> None:
    """Learn from pages by known writers how alike RUN finds pages by one hand."""
    import json

    from ..describe import load_describer
    from ..describe.calibrating import calibrate_describer, save_calibration
    from ..errors import CorpusError, DgmpError
    from .corpora import open_data, tell_left_out, trained_on
    from .progress import page_bar

    if not (run / "model.json").is_file():
        raise DgmpError(
            f"{run}: is no folder of a run of dgmp train or dgmp learn; of other describers only "
            "default is calibrated, and it comes so"
        )
    describer = load_describer(run)
    opened = open_data(corpus, kind=kind, labels=labels, variant=variant, split_file=split_file)
    seen = trained_on(run, opened)
    judged_by = {page.id for page in opened if page.split == "test" and split is None}
    asked = opened.pages if split is None else opened.side(split)
    fresh = [page for page in asked if page.id not in seen | judged_by]
    if not fresh:
        raise CorpusError(
            f"{corpus}: all of its {len(asked)} pages were learned from or are test pages; "
            "calibration needs pages by known writers that the run has not seen: another corpus, "
            "or --split test"
        )
    with page_bar("describing pages", len(fresh)) as done:
        found, used = calibrate_describer(fresh, describer, workers=workers, progress=done)
    tell_left_out(used.failures)
    path = save_calibration(found, describer, run)
    pages, writers = len(used.pages), len({page.writer for page in used.pages})
    if as_json:
        print(json.dumps({"file": str(path), "pages": pages, "writers": writers}))
    else:
        print(f"{path}: from {pages} pages by {writers} writers")

"""What a corpus holds: counts of writers, scripts and splits, sizes, and what is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import Any

from ..engines import Engine, map_pages
from ..errors import ImageError
from ..pixels import OnPixels, PageImage, Preparation, prepare_page
from ..records import Page, PageProgress
from .corpus import Corpus, Remark

VERSION = 1
_SHOWN = 50  # remarks in the printed table; the JSON has all
_LABELS = ("writer", "script", "manuscript")


@dataclass(frozen=True)
class Survey:
    """A corpus whose pages were looked at; those that cannot be used are left out now."""

    corpus: Corpus
    decoded: bool

    def as_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        corpus = self.corpus
        return {
            "version": VERSION,
            "path": str(corpus.root),
            "kind": corpus.kind,
            "decoded": self.decoded,
            "pages": len(corpus),
            "splits": [_counts(split, pages) for split, pages in _by_split(corpus.pages)],
            "scripts": dict(sorted(Counter(p.script for p in corpus if p.script).items())),
            "left_out": [remark._asdict() for remark in corpus.left_out],
            "notes": [remark._asdict() for remark in corpus.notes],
        }

    def table(self) -> str:
        """The same as text: a table of splits, one of scripts, and the remarks."""
        corpus = self.corpus
        lines = [f"{corpus.root}: {len(corpus)} pages, read as {corpus.kind}", ""]
        rows: list[tuple[str, ...]] = [
            ("split", "pages", "writers", "scripts", "manuscripts", "per writer", "size")
        ]
        for split, pages in _by_split(corpus.pages):
            rows.append(_row(split, pages))
        if len(rows) > 2:
            rows.append(_row("all", corpus.pages))
        lines += _aligned(rows)
        scripts = Counter(page.script for page in corpus if page.script)
        if scripts:
            splits = [split for split, _ in _by_split(corpus.pages)]
            per_split = Counter((page.script, page.split or "–") for page in corpus)
            head = ("script", "pages", *splits)
            lines += ["", *_aligned([
                head, *((name, str(number), *(str(per_split[name, split]) for split in splits))
                        for name, number in sorted(scripts.items()))
            ])]  # fmt: skip
        lines += _remarks("left out", corpus.left_out)
        lines += _remarks("notes", corpus.notes)
        return "\n".join(lines)


def survey_corpus(
    corpus: Corpus,
    *,
    decode: bool = True,
    engine: Engine | None = None,
    progress: PageProgress | None = None,
) -> Survey:
    """Count what a corpus holds; with ``decode`` every page is read, and blank ones are found."""
    if not decode:
        return Survey(corpus, decoded=False)
    as_it_is = partial(prepare_page, preparation=Preparation(canonical=None, binarization="none"))
    remarks = []
    for page, result in map_pages(corpus.pages, OnPixels(_nothing, as_it_is), engine):
        if isinstance(result, ImageError):
            remarks.append(Remark(page.id, result.reason))
        if progress is not None:
            progress(1)
    failed = {remark.file for remark in remarks}
    return Survey(
        replace(
            corpus,
            pages=tuple(page for page in corpus if page.id not in failed),
            left_out=tuple(sorted([*corpus.left_out, *remarks])),
        ),
        decoded=True,
    )


def _nothing(prepared: PageImage) -> None:
    """Pages are read for their faults alone; workers need not send them back."""


def _by_split(pages: Sequence[Page]) -> list[tuple[str, list[Page]]]:
    order = {"train": 0, "val": 1, "test": 2}
    names = sorted({page.split or "–" for page in pages}, key=lambda n: (order.get(n, 3), n))
    return [(name, [page for page in pages if (page.split or "–") == name]) for name in names]


def _counts(split: str, pages: Sequence[Page]) -> dict[str, Any]:
    counts: dict[str, Any] = {"split": None if split == "–" else split, "pages": len(pages)}
    for label in _LABELS:
        counts[f"{label}s"] = len({v for page in pages if (v := getattr(page, label))})
    return counts


def _row(split: str, pages: Sequence[Page]) -> tuple[str, ...]:
    counts = _counts(split, pages)
    per_writer = Counter(page.writer for page in pages if page.writer).values()
    widths, heights = zip(*(page.size or (0, 0) for page in pages), strict=True)
    return (
        split,
        str(len(pages)),
        *(str(counts[f"{label}s"] or "–") for label in _LABELS),
        f"{min(per_writer)}–{max(per_writer)}" if per_writer else "–",
        f"{min(widths)}×{min(heights)} to {max(widths)}×{max(heights)}, "
        f"median {median(widths):.0f}×{median(heights):.0f}",
    )


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _remarks(title: str, remarks: Sequence[Remark]) -> list[str]:
    if not remarks:
        return []
    lines = ["", f"{title}: {len(remarks)}", *(f"  {r.file}: {r.reason}" for r in remarks[:_SHOWN])]
    return lines + (
        [f"  … and {len(remarks) - _SHOWN} more (--json has all)"] if len(remarks) > _SHOWN else []
    )

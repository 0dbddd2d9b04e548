"""What a corpus holds: counts of writers, scripts and splits, sizes, and what is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from ..records import Page
from .corpus import Corpus, Remark
from .pages import PageImage, Preparation, read_pages

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
            "splits": [_counts(side, pages) for side, pages in _sides(corpus.pages)],
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
        for side, pages in _sides(corpus.pages):
            rows.append(_row(side, pages))
        if len(rows) > 2:
            rows.append(_row("all", corpus.pages))
        lines += _aligned(rows)
        scripts = Counter(page.script for page in corpus if page.script)
        if scripts:
            sides = [side for side, _ in _sides(corpus.pages)]
            by_side = Counter((page.script, page.split or "–") for page in corpus)
            head = ("script", "pages", *sides)
            lines += ["", *_aligned([
                head, *((name, str(number), *(str(by_side[name, side]) for side in sides))
                        for name, number in sorted(scripts.items()))
            ])]  # fmt: skip
        lines += _remarks("left out", corpus.left_out)
        lines += _remarks("notes", corpus.notes)
        return "\n".join(lines)


def survey_corpus(corpus: Corpus, *, decode: bool = True, workers: int = 0) -> Survey:
    """Count what a corpus holds; with ``decode`` every page is read, and blank ones are found."""
    if not decode:
        return Survey(corpus, decoded=False)
    as_it_is = Preparation(canonical=None, binarization="none")
    reader = read_pages(corpus.pages, as_it_is, then=_nothing, workers=workers)
    for _ in reader:
        pass
    failed = dict(reader.failures)
    remarks = [Remark(page.id, failed[page.id]) for page in corpus if page.id in failed]
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


def _sides(pages: Sequence[Page]) -> list[tuple[str, list[Page]]]:
    order = {"train": 0, "val": 1, "test": 2}
    names = sorted({page.split or "–" for page in pages}, key=lambda n: (order.get(n, 3), n))
    return [(name, [page for page in pages if (page.split or "–") == name]) for name in names]


def _counts(side: str, pages: Sequence[Page]) -> dict[str, Any]:
    counts: dict[str, Any] = {"split": None if side == "–" else side, "pages": len(pages)}
    for label in _LABELS:
        counts[f"{label}s"] = len({v for page in pages if (v := getattr(page, label))})
    return counts


def _row(side: str, pages: Sequence[Page]) -> tuple[str, ...]:
    counts = _counts(side, pages)
    per_writer = Counter(page.writer for page in pages if page.writer).values()
    widths, heights = zip(*(page.size or (0, 0) for page in pages), strict=True)
    return (
        side,
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

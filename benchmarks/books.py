"""Where does the hand change in a book? Judged on synthetic books with changes at known lines.

    python benchmarks/books.py [--data HANDS] [--lines 3 4 5 6 8]

Six books of twelve pages by one to four scribes are described by bands of several heights. Reported
are how well bands find their writer on other scans, how many bands get the right hand, and how
many changes of hand are found within one band of their place. With --data, bands of some training
pages of a corpus are ranked as well; the default describer was fitted on those of `hands`.
Prints tables and saves them as benchmarks/results/books.md.
"""

import argparse
import csv
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import squareform

from dgmp.corpora import band_pages, open_corpus, whole_and_part
from dgmp.describers import describe_pages, load_describer
from dgmp.engines import Processes, cores, map_pages
from dgmp.errors import ImageError
from dgmp.evaluation import adjusted_rand_index, bcubed
from dgmp.hands import follow_hands, group_pages
from dgmp.hands.sequence import POOR_FIT
from dgmp.pixels import BAND_LINES, find_bands
from dgmp.records import Descriptors, Hand
from dgmp.synthetic import TRUTH, synthesize_books

BOOKS, PAGES, SEED = 6, 12, 1
LINES = (3, 4, 5, 6, 8)
NEAR = 1  # band: how far off a change may be found
DATA_WRITERS = 40  # of a corpus: the first ones
PURE = 0.8  # of a band by one scribe: the others are not ranked
RESULT = Path(__file__).parent / "results" / "books.md"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, help="a corpus whose training pages are ranked too")
    parser.add_argument("--lines", type=int, nargs="+", default=LINES)
    arguments = parser.parse_args()
    describer = load_describer("default")
    heights, details = [], []
    with tempfile.TemporaryDirectory() as folder:
        truth = read_truth(synthesize_books(folder, books=BOOKS, pages=PAGES, seed=SEED))
        pages = open_corpus(folder).pages
        for lines in arguments.lines:
            found = described(pages, describer, lines)
            writers, shares = zip(*(writer_of(page, truth) for page in found.pages), strict=True)
            vectors = found.descriptors
            scans = [page.scan for page in found.pages]
            pure = np.array(shares) >= PURE
            ranked = rank(vectors.vectors, np.array(writers), np.array(scans), pure)
            number = len(set(writers))
            print(f"{lines} lines: {len(writers)} bands, mAP {ranked[0]:.3f}", flush=True)
            mixed = f"{np.mean(~pure):.1%}"
            row = [str(lines), str(len(writers)), mixed, *(f"{value:.3f}" for value in ranked)]
            by_rule = group_pages(vectors, describer.calibration)
            by_number = cut_at(vectors, number)
            for hands in (by_rule, by_number):
                row += scores(hands, vectors.page_ids, writers)[-3:]
            heights.append(row)
            if lines == BAND_LINES:
                details = book_rows(vectors, writers, by_rule, by_number, describer.calibration)
                doubts = doubtful_rows(vectors.page_ids, writers, by_rule, by_number)
    text = [
        "# Where the hand changes in synthetic books",
        "",
        f"{BOOKS} books of {PAGES} pages, seed {SEED}, written by `python benchmarks/books.py`. "
        "All scribes of a book write one script; paper, scale and scan differ from page to page. "
        "Every second book has one scribe of the book before. The describer is `default`. A band "
        f"is *mixed* where its main scribe wrote less than {PURE:.0%} of it; its right hand is "
        "that of the main scribe.",
        "",
        "*As grouped* is what `dgmp hands` gives. *Number given* cuts average linkage of the "
        "cosines at the true number of scribes: what the rule for the number of hands costs.",
        "",
        "## How many lines a band should have",
        "",
        "mAP and top-1 rank bands of other scans, mixed bands left out. Precision and recall are "
        f"of changes found within {NEAR} band of a true one, all books grouped together.",
        "",
        *table(
            ["lines", "bands", "mixed", "mAP", "top-1"]
            + [f"{what}, {how}" for how in ("as grouped", "number given")
               for what in ("right hand", "precision", "recall")],
            heights,
        ),
    ]  # fmt: skip
    if details:
        text += [
            "",
            f"## Book by book, {BAND_LINES} lines a band",
            "",
            "Right hand: share of bands, each hand matched to one scribe.",
            "",
            *table(
                ["book", "grouping", "scribes", "hands", "adjusted Rand", "B-cubed P / R",
                 "true changes", "found", "right hand", "precision", "recall"],
                details,
            ),
            "",
            "## Doubtful bands",
            "",
            "Single bands of another hand between two bands of one hand; doubtful are those whose "
            f"fit is below {POOR_FIT}. Wrong: their neighbours are by the scribe of the band.",
            "",
            *table(
                ["grouping", "doubtful", "of them wrong", "not doubtful", "of them wrong"], doubts
            ),
        ]  # fmt: skip
    if arguments.data:
        text += ["", "## Bands of training pages", "", *data_table(arguments, describer)]
    print("\n".join(text))
    RESULT.write_text("\n".join(text) + "\n")


def described(pages, describer, lines):
    parts = []
    for page, result in map_pages(pages, Finder(lines)):
        if not isinstance(result, ImageError):
            parts += band_pages(page, *result)
    return describe_pages(parts, describer, halves=True, engine=Processes(cores()))


class Finder:
    def __init__(self, lines):
        self.lines = lines

    def __call__(self, page):
        return find_bands(page, self.lines)


def read_truth(path):
    assert path.as_posix().endswith(TRUTH)
    stints = defaultdict(list)
    with path.open() as file:
        for row in csv.DictReader(file):
            stints[row["file"]].append((float(row["top"]), float(row["bottom"]), row["writer"]))
    return stints


def writer_of(page, truth):
    """The main scribe of a band, and the share of the band that is theirs."""
    _, top, _, bottom = page.regions[0].bounds
    shares = Counter()
    for first, last, writer in truth[whole_and_part(page.id)[0]]:
        shares[writer] += max(0.0, min(bottom, last) - max(top, first))
    (writer, most), *_ = shares.most_common()
    return writer, most / shares.total()


def rank(vectors, writers, scans, used):
    """Mean average precision and top-1 over bands of other scans."""
    cosines = vectors @ vectors.T
    precisions, first = [], []
    for query in np.flatnonzero(used):
        gallery = used & (scans != scans[query])
        order = np.argsort(-cosines[query, gallery], kind="stable")
        right = (writers[gallery] == writers[query])[order]
        if right.any():
            ranks = np.flatnonzero(right) + 1
            precisions.append(float(np.mean(np.arange(1, len(ranks) + 1) / ranks)))
            first.append(right[0])
    return float(np.mean(precisions)), float(np.mean(first))


def cut_at(descriptors, number):
    """The hands of average linkage of the cosines, as many as are asked for."""
    distances = 1 - descriptors.vectors.astype(float) @ descriptors.vectors.T
    np.fill_diagonal(distances, 0)
    condensed = squareform(np.maximum(distances, 0), checks=False)
    labels = fcluster(linkage(condensed, "average"), number, criterion="maxclust")
    ids = np.array(descriptors.page_ids, dtype=object)
    groups = sorted((ids[labels == label] for label in np.unique(labels)), key=len, reverse=True)
    return tuple(
        Hand(place + 1, tuple(group), (1.0,) * len(group), 1.0, None)
        for place, group in enumerate(groups)
    )


def scores(hands, page_ids, writers):
    """Scribes, hands, adjusted Rand, B-cubed, changes, found, right hand, precision, recall."""
    number = {id: hand.number for hand in hands for id in hand.page_ids}
    groups = [number[id] for id in page_ids]
    both = bcubed(writers, groups)
    true, found, matched = changes(hands, dict(zip(page_ids, writers, strict=True)))
    return [
        str(len(set(writers))),
        str(len(hands)),
        f"{adjusted_rand_index(writers, groups):.3f}",
        f"{both.precision:.3f} / {both.recall:.3f}",
        str(true),
        str(found),
        f"{right_hand(writers, groups):.1%}",
        f"{matched / found:.2f}" if found else "–",
        f"{matched / true:.2f}" if true else "–",
    ]


def right_hand(writers, groups):
    names, rows = np.unique(writers, return_inverse=True)
    _, columns = np.unique(groups, return_inverse=True)
    counts = np.zeros((len(names), columns.max() + 1), int)
    np.add.at(counts, (rows, columns), 1)
    return counts[linear_sum_assignment(-counts)].sum() / len(writers)


def changes(hands, writers):
    """True changes of scribe, those that are said to be, and how many of these are near one."""
    true_number = found_number = matched = 0
    for bands in follow_hands(hands).books().values():
        scribes = [writers[f"{band.page}#band={band.band}"] for band in bands]
        true = [at for at in range(1, len(bands)) if scribes[at] != scribes[at - 1]]
        found = [at for at, band in enumerate(bands) if band.change]
        true_number += len(true)
        found_number += len(found)
        for place in found:
            near = [at for at in true if abs(at - place) <= NEAR]
            if near:
                matched += 1
                true.remove(min(near, key=lambda at: abs(at - place)))
    return true_number, found_number, matched


def book_rows(descriptors, writers, by_rule, by_number, calibration):
    """Every book grouped alone, then all together."""
    writers = np.array(writers)
    books = np.array([id.split("/")[0] for id in descriptors.page_ids])
    rows = []
    for book in np.unique(books):
        inside = books == book
        ids = tuple(id for id, use in zip(descriptors.page_ids, inside, strict=True) if use)
        halves = None if descriptors.halves is None else descriptors.halves[inside]
        part = Descriptors(ids, descriptors.vectors[inside], descriptors.spec, halves=halves)
        own = list(writers[inside])
        ways = (
            ("as grouped", group_pages(part, calibration)),
            ("number given", cut_at(part, len(set(own)))),
        )
        rows += [[book, name, *scores(hands, ids, own)] for name, hands in ways]
    for name, hands in (("as grouped", by_rule), ("number given", by_number)):
        rows.append(["all together", name, *scores(hands, descriptors.page_ids, list(writers))])
    return rows


def doubtful_rows(page_ids, writers, by_rule, by_number):
    known = dict(zip(page_ids, writers, strict=True))
    rows = []
    for name, hands in (("as grouped", by_rule), ("number given", by_number)):
        counts = Counter()
        for bands in follow_hands(hands).books().values():
            for before, band, after in zip(bands, bands[1:], bands[2:], strict=False):
                if before.hand == after.hand != band.hand:
                    scribe = [known[f"{b.page}#band={b.band}"] for b in (before, band, after)]
                    counts[band.doubtful, len(set(scribe)) == 1] += 1
        cells = []
        for doubtful in (True, False):
            wrong, right = counts[doubtful, True], counts[doubtful, False]
            cells += [str(wrong + right), str(wrong)]
        rows.append([name, *cells])
    return rows


def data_table(arguments, describer):
    train = open_corpus(arguments.data).in_split("train")
    chosen = sorted({page.writer for page in train})[:DATA_WRITERS]
    pages = [page for page in train if page.writer in chosen]
    rows = []
    for lines in arguments.lines:
        found = described(pages, describer, lines)
        writers = np.array([page.writer for page in found.pages])
        scans = np.array([page.scan for page in found.pages])
        everything = np.ones(len(writers), bool)
        ranked = rank(found.descriptors.vectors, writers, scans, everything)
        print(
            f"{lines} lines: {len(writers)} bands of training pages, mAP {ranked[0]:.3f}",
            flush=True,
        )
        rows.append([str(lines), str(len(writers)), *(f"{value:.3f}" for value in ranked)])
    about = (
        f"{len(pages)} training pages by {len(chosen)} writers of `{arguments.data.name}`; "
        "bands of other scans are ranked."
    )
    return [about, "", *table(["lines", "bands", "mAP", "top-1"], rows)]


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


if __name__ == "__main__":
    main()

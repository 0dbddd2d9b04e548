"""Words on pages without boxes: how many are found, and how long a query takes.

    python benchmarks/spotting.py found WORDS.csv RUN FOLD
    python benchmarks/spotting.py recall WORDS.csv
    python benchmarks/spotting.py time FOLDER --pages 1000 --each 1200
    python benchmarks/spotting.py web FOLDER --pages 1000 --each 1200

``found`` gives the mean average precision of a run of ``benchmarks/words.py`` on the pages of its
test fold, ``recall`` the share of words that any candidate overlaps by more than half, ``time`` the
seconds of a query over an index of drawn vectors, ``web`` those of an answer of ``dgmp view`` for a
catalogue with such an index.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

from dgmp.catalogue import Catalogue
from dgmp.pixels import measure_page, read_image
from dgmp.spotting import (
    Embedding,
    IndexedPage,
    WordIndex,
    WordModel,
    WordSpec,
    cut_words,
    find_candidates,
    map_by_example,
    map_by_string,
    open_words,
    overlaps,
    page_folds,
)
from dgmp.tasks.spotting import describe_candidates


def found(asked):
    words = open_words(asked.words)
    model = WordModel.load(asked.run)
    names = page_folds(words)[asked.fold - 1]
    with tempfile.TemporaryDirectory() as folder:
        index = WordIndex.at(folder, model.digest, model.spec.embedding)
        with index.writing():
            for name in names:
                page = words.pages[name]
                about = IndexedPage(name, page.source.address, "", 0, 0)
                index.add([(about, *describe_candidates(page, model))])
        listed = words.on(names)
        vectors = model.describe(cut_words(words, listed, model.spec))
        print(f"{index.rows} candidates on {len(names)} pages")
        print(f"by example {100 * map_by_example(index, listed, vectors):.1f}")
        print(f"by string  {100 * map_by_string(index, listed):.1f}")


def recall(asked):
    words = open_words(asked.words)
    reached = total = candidates = 0
    for name, page in sorted(words.pages.items()):
        boxes = find_candidates(read_image(page.source), measure_page(page).distance)
        known = np.array([word.box for word in words.on([name])])
        near = overlaps(known, boxes).max(axis=1) > 0.5
        reached, total = reached + int(near.sum()), total + len(known)
        candidates += len(boxes)
    print(f"{reached} of {total} words ({reached / total:.1%}), {candidates} candidates")


def query_time(asked):
    names = [f"p{number}" for number in range(asked.pages)]
    index = draw_index(asked.folder, "drawn", names, asked.each)
    for _ in range(5):
        began, worked = time.perf_counter(), time.process_time()
        index.search("letters", 20)
        wall, work = time.perf_counter() - began, time.process_time() - worked
        print(f"{index.rows} candidates: {wall:.3f} s, {work:.3f} s of the processor")


def draw_index(folder, model, names, each):
    embedding = Embedding()
    generator = np.random.default_rng(0)
    index = WordIndex.at(folder, model, embedding)
    with index.writing():
        for start in range(len(index.pages), len(names), 50):
            batch = []
            for name in names[start : start + 50]:
                vectors = generator.random((each, embedding.size), np.float32) ** 8
                boxes = generator.integers(0, 3000, (each, 4)).astype(np.int32)
                boxes[:, 2:] = boxes[:, :2] + 60
                batch.append((IndexedPage(name, "/p", "", 0, 0), boxes, vectors))
            index.add(batch)
    return index


def web_time(asked):
    from web import Server, filled, pictures  # of this folder

    shelf, run = asked.folder / "catalogue", asked.folder / "model"
    if not run.exists():
        spec = WordSpec(network="word-resnet-tiny")
        WordModel(spec.build().eval(), spec).save(run)
        filled(shelf, asked.pages, 256, pictures(asked.folder / "scans"))
    names = sorted(Catalogue.open(shelf).paths())
    index = draw_index(shelf / "words", WordModel.load(run).digest, names, asked.each)
    with index.writing():
        index.remember(str(run.resolve()))
    print(f"{index.rows} candidates on {len(names)} pages")
    words = ("letters", "orders", "captain", "october", "the", "company")
    box = index.search("letters", 1)[0]
    left, top, right, bottom = box.box
    with Server(shelf) as server:
        for path in (
            *(f"/words?word={word}" for word in words),
            "/words?word=letters&leaf=2",
            f"/words?page={box.page_id}&region={left},{top},{right - left},{bottom - top}",
        ):
            print(f"{path:60} {server.seconds(path):.3f} s", flush=True)
        print(f"{server.memory():.2f} GiB")


def main():
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    kinds = parser.add_subparsers(required=True)
    one = kinds.add_parser("found")
    one.add_argument("words", type=Path)
    one.add_argument("run", type=Path)
    one.add_argument("fold", type=int)
    one.set_defaults(do=found)
    two = kinds.add_parser("recall")
    two.add_argument("words", type=Path)
    two.set_defaults(do=recall)
    three = kinds.add_parser("time")
    three.add_argument("folder", type=Path)
    three.add_argument("--pages", type=int, default=1000)
    three.add_argument("--each", type=int, default=1200)
    three.set_defaults(do=query_time)
    four = kinds.add_parser("web")
    four.add_argument("folder", type=Path)
    four.add_argument("--pages", type=int, default=1000)
    four.add_argument("--each", type=int, default=1200)
    four.set_defaults(do=web_time)
    asked = parser.parse_args()
    asked.do(asked)


if __name__ == "__main__":
    main()

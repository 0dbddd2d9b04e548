import json

import numpy as np
import pytest

from dgmp.errors import DgmpError
from dgmp.spotting import Embedding, IndexedPage, WordIndex, overlaps

EMBEDDING = Embedding(levels=(1, 2))
WORDS = ["one", "two", "three", "four", "five", "six", "seven"]


def vectors(words):
    return EMBEDDING.of(words)


def page(name, words, stamp="1"):
    boxes = np.array([(100 * n, 0, 100 * n + 90, 40) for n in range(len(words))], np.int32)
    return IndexedPage(name, f"/scans/{name}", stamp, 0, 0), boxes, vectors(words)


@pytest.fixture
def index(tmp_path):
    found = WordIndex.at(tmp_path / "index", "digest", EMBEDDING)
    with found.writing():
        found.add([page("a", WORDS), page("b", ["two", "nine"])])
    return found


def test_a_word_is_found_on_every_page_it_is_on(index):
    hits = index.search(vectors(["two"])[0], 2)
    assert [(hit.page_id, hit.box) for hit in hits] == [
        ("a", (100, 0, 190, 40)),
        ("b", (0, 0, 90, 40)),
    ]
    assert hits[0].likeness == pytest.approx(1, abs=0.01)


def test_an_index_is_found_again_as_it_was_stored(index):
    again = WordIndex.open(index.folder)
    assert again.search(vectors(["six"])[0]) == index.search(vectors(["six"])[0])


def test_a_changed_page_is_known_by_its_new_words_only(index):
    with index.writing():
        index.add([page("a", ["ten"], "2")])
    assert [hit.page_id for hit in index.search(vectors(["two"])[0])].count("a") == 1
    assert index.search(vectors(["ten"])[0], 1)[0].page_id == "a"


def test_a_page_that_is_dropped_is_not_found(index):
    with index.writing():
        index.drop(["b"])
        index.add([page("c", ["eleven"])])
    assert {hit.page_id for hit in index.search(vectors(["two"])[0])} == {"a", "c"}
    assert index.search(vectors(["eleven"])[0], 1)[0].page_id == "c"


def test_rows_that_a_kill_left_behind_do_no_harm(index):
    with (index.folder / "vectors.bin").open("ab") as file:
        file.write(b"half a row")
    again = WordIndex.open(index.folder)
    with again.writing():
        again.add([page("c", ["nine"])])
    assert {hit.page_id for hit in again.search(vectors(["nine"])[0], 2)} == {"b", "c"}


def test_who_looks_meanwhile_finds_what_was_there(index):
    reader = WordIndex.open(index.folder)
    before = reader.search(vectors(["nine"])[0], 2)
    sizes = {file: file.stat().st_size for file in index.folder.glob("*.bin")}
    with index.writing():
        index.drop(["b"])
        index.add([page("c", ["eleven"])])
    assert all(file.stat().st_size >= size for file, size in sizes.items())
    assert reader.search(vectors(["nine"])[0], 2) == before


def test_a_candidate_is_found_by_its_box(index):
    assert index.vector_at("b", (0, 0, 90, 40)) == pytest.approx(vectors(["two"])[0])


@pytest.mark.parametrize(("page_id", "left"), [("b", 5), ("b", 200), ("none", 0)])
def test_what_is_no_candidate_has_no_vector(index, page_id, left):
    assert index.vector_at(page_id, (left, 0, left + 90, 40)) is None


def test_the_place_of_the_model_is_remembered(index):
    with index.writing():
        index.remember("/models/a")
        index.add([page("c", ["ten"])])
    assert WordIndex.open(index.folder).head.model_folder == "/models/a"


def test_an_index_that_names_no_model_is_read(index):
    path = index.folder / "words.json"
    stored = json.loads(path.read_text())
    del stored["model_folder"]
    path.write_text(json.dumps(stored))
    assert WordIndex.open(index.folder).head.model_folder == ""


def test_of_candidates_that_overlap_the_best_alone_is_a_hit(tmp_path):
    index = WordIndex.at(tmp_path, "digest", EMBEDDING)
    boxes = np.array([(0, 0, 90, 40), (0, 0, 100, 40), (300, 0, 390, 40)], np.int32)
    about = IndexedPage("a", "/a", "1", 0, 0)
    with index.writing():
        index.add([(about, boxes, vectors(["two", "twos", "two"]))])
    assert [hit.box[0] for hit in index.search(vectors(["two"])[0])] == [0, 300]


def test_the_index_of_another_model_is_refused(index):
    with pytest.raises(DgmpError, match="another word model"):
        WordIndex.at(index.folder, "other", EMBEDDING)


def test_files_that_are_too_short_are_named(index):
    (index.folder / "shorts.bin").write_bytes(b"")
    with pytest.raises(DgmpError, match=r"shorts\.bin: has fewer rows"):
        index.search(vectors(["two"])[0])


def test_an_empty_index_has_no_hits(tmp_path):
    assert WordIndex.at(tmp_path, "digest", EMBEDDING).search(vectors(["two"])[0]) == ()


def test_overlap_is_intersection_over_union():
    one = np.array([(0, 0, 10, 10)])
    others = np.array([(0, 0, 10, 10), (5, 0, 15, 10), (20, 20, 30, 30)])
    assert overlaps(one, others)[0] == pytest.approx([1, 1 / 3, 0])


@pytest.mark.parametrize("kind", ["phoc", "dctow"])
def test_a_string_is_found_by_how_well_it_fits(tmp_path, kind):
    embedding = Embedding(kind, levels=(1, 2))
    index = WordIndex.at(tmp_path, "digest", embedding)
    drawn = np.random.default_rng(0)
    seen = np.clip(embedding.of(WORDS) + drawn.normal(0, 0.1, (len(WORDS), embedding.size)), 0, 1)
    boxes = np.array([(100 * n, 0, 100 * n + 90, 40) for n in range(len(WORDS))], np.int32)
    with index.writing():
        index.add([(IndexedPage("a", "/a", "1", 0, 0), boxes, seen.astype(np.float32))])
    for text in ("two", "six", "ten"):
        expected = embedding.likeness([text], seen.astype(np.float32))[0]
        found = {hit.box[0] // 100: hit.likeness for hit in index.search(text)}
        assert found == pytest.approx(dict(enumerate(expected.tolist())), abs=0.02)

"""Splits: whole groups, the same for the same seed, written and read back."""

from dataclasses import replace
from pathlib import Path

import pytest

from dgmp.corpora import apply_split, check_split, read_split_file, split_pages, write_split
from dgmp.errors import CorpusError
from dgmp.records import Page
from dgmp.sources import FileSource

PAGES = tuple(
    Page(f"{w}/{n}.png", FileSource(Path(f"{w}/{n}.png")), writer=f"w{w}", manuscript=f"m{w}",
         script=["uncial", "cursiva"][w % 2])
    for w in range(50) for n in range(3)
)  # fmt: skip


def groups(pages, split, by="writer"):
    return {getattr(page, by) for page in pages if page.split == split}


def test_whole_writers_go_to_a_split():
    split = split_pages(PAGES, {"val": 10, "test": 0.2}, seed=1)
    check_split(split)
    sizes = [len(groups(split, name)) for name in ("train", "val", "test")]
    assert sizes == [30, 10, 10]


def test_manuscripts_are_divided_within_each_script():
    split = split_pages(PAGES, {"test": 0.2}, by="manuscript", seed=1)
    for script in ("uncial", "cursiva"):
        assert len(groups([p for p in split if p.script == script], "test", "manuscript")) == 5


def test_the_seed_decides_and_the_order_of_pages_does_not():
    one = split_pages(PAGES, {"test": 0.3}, seed=1)
    again = split_pages(PAGES[::-1], {"test": 0.3}, seed=1)
    assert set(one) == set(again)
    assert set(one) != set(split_pages(PAGES, {"test": 0.3}, seed=2))


def test_this_split_is_the_same_on_every_machine():
    split = split_pages(PAGES[:30], {"test": 3}, seed=7)
    assert groups(split, "test") == {"w6", "w8", "w9"}


def test_a_split_is_written_and_read_back(tmp_path):
    split = split_pages(PAGES, {"val": 4}, seed=3)
    write_split(split, tmp_path / "split.csv", made="by writer, seed 3")
    assert (tmp_path / "split.csv").read_text().startswith("# dgmp split 1 by writer, seed 3\n")
    assert apply_split(tmp_path / "split.csv", PAGES) == split


def test_a_split_file_gives_the_split_of_every_page_by_its_id(tmp_path):
    pages = (replace(PAGES[0], split="val"), PAGES[3])
    write_split(pages, tmp_path / "split.csv")
    assert read_split_file(tmp_path / "split.csv") == {"0/0.png": "val", "1/0.png": None}


def test_pages_that_are_not_in_the_split_file_have_no_split(tmp_path):
    write_split(split_pages(PAGES[:3], {"val": 1}), tmp_path / "split.csv")
    old = [replace(page, split="train") for page in PAGES[:6]]
    split = apply_split(tmp_path / "split.csv", old)
    assert [page.split for page in split] == ["val"] * 3 + [None] * 3


TORN = (replace(PAGES[0], split="train"), replace(PAGES[1], split="test"))


def test_a_writer_in_two_splits_is_named():
    with pytest.raises(CorpusError, match=r"writer 'w0' is in two splits: '0/0\.png' in train, '0"):
        check_split(TORN)


def test_a_manuscript_in_two_splits_is_named():
    with pytest.raises(CorpusError, match="manuscript 'm0' is in two splits"):
        check_split(TORN, by="manuscript")


def test_a_split_that_tears_a_writer_is_not_written(tmp_path):
    with pytest.raises(CorpusError, match="writer 'w0' is in two splits"):
        write_split(TORN, tmp_path / "split.csv")
    assert not (tmp_path / "split.csv").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,split\n", "is no split file"),
        ("# dgmp split 9\nid,split\n", "is of version 9"),
        ("# dgmp split 1\nid,split\nx.png,test\n", "1 pages are not in this corpus, as 'x.png'"),
        ("# dgmp split 1\nname\nx.png\n", "every line must have an id"),
        ("", "cannot be read"),
    ],
)
def test_a_split_file_that_does_not_fit_is_refused(tmp_path, text, message):
    (tmp_path / "split.csv").write_text(text)
    with pytest.raises(CorpusError, match=message):
        apply_split(tmp_path / "split.csv", PAGES)


def test_more_writers_than_there_are_cannot_be_had():
    with pytest.raises(CorpusError, match="60 writers wanted for 'test', 50 are left of 50"):
        split_pages(PAGES, {"test": 60})


def test_a_page_without_a_writer_cannot_be_put_into_a_split():
    with pytest.raises(CorpusError, match=r"page '0/0\.png' has no writer"):
        split_pages([replace(PAGES[0], writer=None)], {"test": 1})


@pytest.mark.parametrize("size", [-1, 1.5])
def test_a_size_is_a_number_of_writers_or_a_share(size):
    with pytest.raises(ValueError, match=rf"sizes\['test'\] must be .*, got {size}"):
        split_pages(PAGES, {"test": size})

"""Splits: whole groups, the same for the same seed, written and read back."""

from pathlib import Path

import pytest

from dgmp.corpora import check_split, read_split, split_pages, write_split
from dgmp.errors import CorpusError
from dgmp.records import Page

PAGES = tuple(
    Page(f"{w}/{n}.png", Path(f"{w}/{n}.png"), writer=f"w{w}", manuscript=f"m{w}",
         script=["uncial", "cursiva"][w % 2])
    for w in range(50) for n in range(3)
)  # fmt: skip


def groups(pages, side, by="writer"):
    return {getattr(page, by) for page in pages if page.split == side}


def test_whole_writers_go_to_a_side():
    split = split_pages(PAGES, {"val": 10, "test": 0.2}, seed=1)
    check_split(split)
    sizes = [len(groups(split, side)) for side in ("train", "val", "test")]
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
    assert read_split(tmp_path / "split.csv", PAGES) == split


def test_a_writer_on_both_sides_is_named(tmp_path):
    from dataclasses import replace

    torn = (replace(PAGES[0], split="train"), replace(PAGES[1], split="test"))
    with pytest.raises(CorpusError, match="writer 'w0' is on both sides"):
        check_split(torn)
    with pytest.raises(CorpusError, match="writer 'w0' is on both sides"):
        write_split(torn, tmp_path / "split.csv")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("id,split\n", "is no split file"),
        ("# dgmp split 9\nid,split\n", "is of version 9"),
        ("# dgmp split 1\nid,split\nx.png,test\n", "1 pages are not in this corpus, as 'x.png'"),
        ("# dgmp split 1\nname\nx.png\n", "every line must have an id"),
        ("", "cannot be read"),
    ],
)
def test_a_split_file_that_does_not_fit_is_refused(tmp_path, text, told):
    (tmp_path / "split.csv").write_text(text)
    with pytest.raises(CorpusError, match=told):
        read_split(tmp_path / "split.csv", PAGES)


def test_more_writers_than_there_are_cannot_be_had():
    with pytest.raises(CorpusError, match="60 writers wanted for 'test', 50 are left of 50"):
        split_pages(PAGES, {"test": 60})

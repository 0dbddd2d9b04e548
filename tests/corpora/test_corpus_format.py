"""The parts that formats are made of."""

from pathlib import Path

import pytest

from dgmp.corpora import FORMATS, CorpusFormat, Found, Listed, open_corpus
from dgmp.corpora.corpus_format import folders_above, label_each, split_above

ROOT = Path("set")


def test_a_new_format_is_one_entry_of_the_table(page_file, corpus_folder, monkeypatch):
    def list_files(found):
        return Listed([(picture, {"writer": picture.stem[0]}) for picture in found.pictures])

    monkeypatch.setitem(FORMATS, "initials", CorpusFormat("initials", list_files))
    page_file("anna.png")
    page_file("bert.png")
    assert open_corpus(corpus_folder, kind="initials").labels("writer") == ("a", "b")


def test_a_path_from_the_root_has_forward_slashes():
    assert Found(ROOT, []).relative(ROOT / "a" / "b.png") == "a/b.png"


def test_pictures_without_labels_are_left_out_and_others_listed():
    found = Found(ROOT, [ROOT / "a.png", ROOT / "b.png"])
    listed = label_each(found, lambda root, p: {"writer": "x"} if p.stem == "a" else None, "Set")
    assert listed.files == [(ROOT / "a.png", {"writer": "x"})]
    assert listed.left_out == [("b.png", "its name is not one of Set")]


@pytest.mark.parametrize(
    ("root", "picture", "split"),
    [
        ("set", "train/a.png", {"split": "train"}),
        ("set", "train/test/a.png", {"split": "test"}),
        ("training-set", "a.png", {"split": "train"}),
        ("set", "anna/a.png", {}),
    ],
)
def test_the_nearest_folder_that_names_a_split_counts(root, picture, split):
    assert split_above(Path(root), Path(root) / picture) == split


@pytest.mark.parametrize(
    ("picture", "names", "split"),
    [
        ("train/anna/a.png", ("anna",), {"split": "train"}),
        ("anna/Benchmark/a.png", ("anna",), {"split": "test"}),
        ("anna/1/a.png", ("anna", "1"), {}),
        ("a.png", (), {}),
    ],
)
def test_folders_are_splits_or_names(picture, names, split):
    assert folders_above(ROOT, ROOT / picture) == (names, split)

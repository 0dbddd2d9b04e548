"""Which kind of source an address has."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from dgmp.sources import SOURCES, FileSource, open_source, sources_at


@dataclass(frozen=True)
class Book:
    """A kind of source with two pictures in everything."""

    address: str

    @classmethod
    def at(cls, address):
        return cls(address)

    @classmethod
    def found_in(cls, address):
        return (cls(f"{address}#page=1"), cls(f"{address}#page=2"))


@pytest.fixture(autouse=True)
def books(monkeypatch):
    monkeypatch.setitem(SOURCES, ".book", Book)
    monkeypatch.setitem(SOURCES, "shelf", Book)


def test_an_ending_decides_what_a_file_holds():
    assert sources_at(Path("a.book")) == (Book("a.book#page=1"), Book("a.book#page=2"))


def test_a_scheme_decides_what_an_address_holds():
    assert sources_at("shelf://7/a.png")[0] == Book("shelf://7/a.png#page=1")


@pytest.mark.parametrize("address", ["A.BOOK", "SHELF://7"])
def test_capital_letters_do_not_matter(address):
    assert open_source(address) == Book(address)


@pytest.mark.parametrize("name", ["a.png", "a.tif", "a", "a.bookish", "book", "shelf/a.png"])
def test_everything_else_is_a_picture_file(name):
    assert sources_at(name) == (FileSource(Path(name)),)


@pytest.mark.parametrize("name", ["a.book", "box#3/a.book", "a#3.book", "shelf://7/a"])
def test_a_source_is_opened_again_by_the_address_it_gave(name):
    for source in sources_at(name):
        assert open_source(source.address) == source


def test_a_picture_file_is_opened_again_by_its_address(tmp_path):
    source = FileSource(tmp_path / "a.png")
    assert open_source(source.address) == source


def test_a_folder_whose_name_ends_like_a_book_holds_picture_files():
    assert open_source("x.book/a.png") == FileSource(Path("x.book/a.png"))

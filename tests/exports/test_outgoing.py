"""Addresses and texts of what goes out."""

import pytest

from dgmp.exports.outgoing import clean, relative_address, source_canvas


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("scans/ms 12/ä.jpg", "scans/ms%2012/%C3%A4.jpg"),
        ("book.pdf#page=3", "book.pdf#page=3"),
        ("../b.jpg", "../b.jpg"),
    ],
)
def test_a_file_is_a_uri_from_the_folder(tmp_path, address, expected):
    assert relative_address(str(tmp_path / address), tmp_path) == expected


def test_an_address_of_the_web_stays(tmp_path):
    assert relative_address("https://a.org/b c", tmp_path) == "https://a.org/b c"


@pytest.mark.parametrize("mark", ["", "public&"])
def test_the_canvas_of_a_manifest_is_known_by_its_address(mark):
    address = f"https://a.org/m.json#{mark}canvas=https://a.org/c#1"
    assert source_canvas(address) == ("https://a.org/m.json", "https://a.org/c#1")


@pytest.mark.parametrize("address", ["/scans/a.jpg", "/b.pdf#page=2", "file:///m#canvas=1"])
def test_a_file_is_no_canvas(address):
    assert source_canvas(address) is None


def test_a_text_without_odd_characters_stays():
    assert clean("Märta\n\t– ſ 漢") == "Märta\n\t– ſ 漢"

"""Addresses and texts of what goes out."""

import pytest

from dgmp.exports.outgoing import clean, relative_address


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("scans/ms 12/ä.jpg", "scans/ms%2012/%C3%A4.jpg"),
        ("book.pdf#page=3", "book.pdf#page=3"),
        ("../b.jpg", "../b.jpg"),
        ("Box #1/100%?.jpg", "Box%20%231/100%25%3F.jpg"),
        ("Box #1/b.pdf#page=3", "Box%20%231/b.pdf#page=3"),
        (r"caf\xe9.jpg", "caf%E9.jpg"),
    ],
)
def test_a_file_is_a_uri_from_the_folder(tmp_path, address, expected):
    assert relative_address(str(tmp_path / address), tmp_path) == expected


def test_an_address_of_the_web_stays(tmp_path):
    assert relative_address("https://a.org/b c", tmp_path) == "https://a.org/b c"


def test_a_text_without_odd_characters_stays():
    assert clean("Märta\n\t– ſ 漢") == "Märta\n\t– ſ 漢"

"""bands.json: what it holds, and what is refused."""

import pytest

from dgmp.catalogue import PageBands, read_bands, write_bands
from dgmp.catalogue.band_files import FILE
from dgmp.errors import CatalogueError

BANDS = {"a.jpg": PageBands("stamp", 40.5, ((0.0, 0.0, 100.0, 200.0), (0.0, 200.0, 100.0, 410.0)))}


def test_bands_come_back_as_they_were_written(tmp_path):
    write_bands(BANDS, tmp_path)
    assert read_bands(tmp_path) == BANDS


def test_where_there_is_no_file_there_are_no_bands(tmp_path):
    assert read_bands(tmp_path) == {}


@pytest.mark.parametrize(
    "text",
    ["{", '{"format": "dgmp-bands", "version": 9}', '{"format": "dgmp-bands", "version": 1}'],
)
def test_what_cannot_be_read_is_refused(tmp_path, text):
    (tmp_path / FILE).write_text(text)
    with pytest.raises(CatalogueError, match=FILE):
        read_bands(tmp_path)

"""bands.json and areas.json: what they hold, and what is refused."""

import pytest

from dgmp.catalogue import PageAreas, PageBands, read_areas, read_bands, write_areas, write_bands
from dgmp.catalogue.found_files import AREAS_FILE, BANDS_FILE
from dgmp.errors import CatalogueError

BANDS = {"a.jpg": PageBands("stamp", 40.5, ((0.0, 0.0, 100.0, 200.0), (0.0, 200.0, 100.0, 410.0)))}
AREAS = {
    "a.jpg": PageAreas("stamp", 1, (((0.0, 0.0), (9.0, 0.0), (9.0, 5.0)),)),
    "b.jpg": PageAreas("stamp", reason="no writing: nothing but a ruler"),
}
FILES = [
    pytest.param(BANDS_FILE, "dgmp-bands", read_bands, id="bands"),
    pytest.param(AREAS_FILE, "dgmp-areas", read_areas, id="areas"),
]


def test_bands_come_back_as_they_were_written(tmp_path):
    write_bands(BANDS, tmp_path)
    assert read_bands(tmp_path) == BANDS


def test_areas_come_back_as_they_were_written(tmp_path):
    write_areas(AREAS, tmp_path)
    assert read_areas(tmp_path) == AREAS


@pytest.mark.parametrize(("file", "name", "read"), FILES)
def test_where_there_is_no_file_there_is_nothing(tmp_path, file, name, read):
    assert read(tmp_path) == {}


@pytest.mark.parametrize("rest", ["", ', "version": 9}', ', "version": 1}'])
@pytest.mark.parametrize(("file", "name", "read"), FILES)
def test_what_cannot_be_read_is_refused(tmp_path, file, name, read, rest):
    (tmp_path / file).write_text(f'{{"format": "{name}"{rest}')
    with pytest.raises(CatalogueError, match=file):
        read(tmp_path)

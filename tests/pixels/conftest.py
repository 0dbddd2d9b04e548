"""Single pages, made on the spot."""

import pytest
from page_files import page_file, shared_data

from dgmp.pixels import pictures_in
from dgmp.records import Page
from dgmp.sources import FileSource

__all__ = ["page_file", "shared_data"]


@pytest.fixture
def make_page(page_file):
    """A function that writes a page and gives its record, with what is said to be known of it."""

    def make(name, pixels=None, *, known=None, **options):
        source = FileSource(page_file(name, pixels, **options))
        return Page(name, source, size=pictures_in(source)[0].size, **(known or {}))

    return make

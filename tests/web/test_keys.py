"""Ids as segments of addresses."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dgmp.errors import CatalogueError
from dgmp.web.keys import page_id, page_key

IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(IDS)
def test_a_key_gives_its_id_back(id):
    assert page_id(page_key(id)) == id


@given(IDS)
def test_a_key_is_one_segment_of_a_path(id):
    assert re.fullmatch(r"[\w-]+", page_key(id), re.ASCII)


@pytest.mark.parametrize("key", ["..", "ä", "a b", "YQ==", "YR", "_w", "%2e"])
def test_what_is_no_key_is_refused(key):
    with pytest.raises(CatalogueError, match="key of no page"):
        page_id(key)

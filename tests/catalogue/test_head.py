"""catalogue.json: what it holds, what is refused, and what an older dgmp wrote."""

import json
import re
from dataclasses import replace

import pytest

from dgmp.catalogue import Catalogue, Head, is_catalogue, renamed_spec
from dgmp.catalogue.head import FILE, read_head, write_head
from dgmp.errors import CatalogueError

from .entries import HEAD


def test_a_head_comes_back_as_it_was_written(tmp_path):
    head = Head({"kind": "drawn", "sizes": [1, 2]}, 8, "drawn", {"weight": 2.5}, {"scale": 1.5})
    write_head(head, tmp_path)
    assert read_head(tmp_path) == (head, 5)


def test_a_folder_is_a_catalogue_where_there_is_a_head(tmp_path):
    assert not is_catalogue(tmp_path)
    write_head(HEAD, tmp_path)
    assert is_catalogue(tmp_path)


@pytest.mark.parametrize(
    ("content", "reason"), [("{", "catalogue.json: is not JSON"), ("{}", "it is no catalogue")]
)
def test_what_is_no_head_is_refused(tmp_path, content, reason):
    (tmp_path / FILE).write_text(content)
    with pytest.raises(CatalogueError, match=reason):
        read_head(tmp_path)


def test_what_is_no_catalogue_is_told_how_to_become_one(tmp_path):
    how = f"dgmp describe FOLDER --catalogue {tmp_path} makes one"
    with pytest.raises(CatalogueError, match=f"is no catalogue; {re.escape(how)}"):
        Catalogue.open(tmp_path)


def test_a_folder_of_scans_is_told_to_have_its_catalogue_beside_it(tmp_path):
    (tmp_path / "scan.jpg").touch()
    how = f"dgmp describe {tmp_path} --catalogue {tmp_path}.catalogue makes one"
    with pytest.raises(CatalogueError, match=f"is no catalogue; {re.escape(how)}"):
        Catalogue.open(tmp_path)


def test_another_format_version_is_refused(filled):
    path = filled.folder / FILE
    path.write_text(json.dumps({**json.loads(path.read_text()), "version": 99}))
    with pytest.raises(CatalogueError, match="format version 99, this dgmp reads 5"):
        Catalogue.open(filled.folder)


def test_an_entry_that_is_missing_is_named(filled):
    stored = json.loads((filled.folder / FILE).read_text())
    del stored["dim"]
    (filled.folder / FILE).write_text(json.dumps(stored))
    with pytest.raises(CatalogueError, match="dim"):
        Catalogue.open(filled.folder)


def test_heads_of_one_describer_do_not_differ_by_name_or_calibration():
    assert HEAD.difference(replace(HEAD, describer="elsewhere", calibration={"weight": 1})) is None


def test_a_difference_names_the_first_entry_that_is_another():
    other = replace(HEAD, spec={"kind": "drawn", "sizes": (1, 3)})
    assert HEAD.difference(other) == "sizes.1: 2 there, 3 now"


def test_the_kind_of_a_spec_of_version_1_is_read_under_its_name_of_now():
    assert renamed_spec({"describer": "learned", "dim": 4}) == {"kind": "learned", "dim": 4}


def test_a_spec_of_now_is_read_as_it_is():
    spec = {"kind": "fused", "describer": "of a part"}
    assert renamed_spec(spec) == spec


def test_a_head_without_a_part_is_of_pages(filled):
    stored = json.loads((filled.folder / FILE).read_text())
    del stored["by"]
    (filled.folder / FILE).write_text(json.dumps(stored))
    assert Catalogue.open(filled.folder).head.by == "page"


def test_the_part_that_was_described_is_kept(tmp_path):
    write_head(replace(HEAD, by="band"), tmp_path)
    assert read_head(tmp_path)[0].by == "band"

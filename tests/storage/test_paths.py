"""Texts become paths or objects, and changes are seen by stamps."""

from pathlib import Path

from dgmp.storage import ObjectPath, as_path, folder_stamp, is_object_address, relative, stamp


def test_an_address_is_an_object_and_anything_else_a_path():
    assert as_path("s3://bucket/scans") == ObjectPath("s3", "bucket", "scans")
    assert as_path("scans") == Path("scans")
    assert is_object_address("S3://bucket/scans")
    assert not is_object_address("https://host/manifest.json")
    assert not is_object_address("s3:/bucket")


def test_writing_changes_the_stamp(memory, tmp_path):
    for folder in (memory, tmp_path):
        file = folder / "file"
        assert stamp(file) == ""
        file.write_bytes(b"one")
        before, whole = stamp(file), folder_stamp(folder)
        assert stamp(file) == before
        assert folder_stamp(folder) == whole
        file.write_bytes(b"two and more")
        assert stamp(file) != before
        assert folder_stamp(folder) != whole


def test_a_commit_to_a_table_changes_the_stamp_of_its_folder(memory):
    (memory / "pages.lance/_versions/2").write_bytes(b"")
    before = folder_stamp(memory)
    (memory / "pages.lance/_versions/1").write_bytes(b"")
    assert folder_stamp(memory) != before


def test_a_name_below_a_folder_is_relative_to_it(memory, tmp_path):
    for folder in (memory, tmp_path):
        assert relative(folder / "a" / "b", folder).as_posix() == "a/b"

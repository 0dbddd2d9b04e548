"""Answers on disk: whole or not there, bounded."""

import os

import pytest

from dgmp.errors import DgmpError
from dgmp.sources.answer_cache import AnswerCache


def put(cache, address, content=b"x"):
    with cache.writing(address) as file:
        file.write(content)


def files(cache):
    return [path for path in cache.folder.rglob("*") if path.is_file()]


@pytest.fixture
def kept(tmp_path):
    return AnswerCache(tmp_path, 10_000)


def test_what_was_written_is_found_by_its_address(kept):
    put(kept, "https://a/1", b"one")
    put(kept, "https://a/2", b"two")
    assert kept.find("https://a/1").read_bytes() == b"one"


def test_what_was_not_written_is_not_found(kept):
    assert kept.find("https://a/1") is None


def test_an_answer_that_failed_halfway_leaves_nothing(kept):
    with pytest.raises(TypeError), kept.writing("https://a/1") as file:
        file.write("no bytes")
    assert files(kept) == []


def test_until_it_is_whole_an_answer_is_as_it_was_before(kept):
    put(kept, "https://a/1", b"old")
    with kept.writing("https://a/1") as file:
        file.write(b"new")
        file.flush()
        assert kept.find("https://a/1").read_bytes() == b"old"
    assert kept.find("https://a/1").read_bytes() == b"new"


def test_the_bound_is_kept(kept):
    for number in range(50):
        put(kept, f"https://a/{number}", bytes(1000))
    assert 8_000 <= sum(path.stat().st_size for path in files(kept)) <= 20_000


def test_what_was_used_last_stays(kept):
    for number in range(9):
        put(kept, f"https://a/{number}", bytes(1000))
    assert kept.find("https://a/0")
    for number in range(9, 20):
        put(kept, f"https://a/{number}", bytes(1000))
        assert kept.find("https://a/0")
    assert kept.find("https://a/1") is None


def test_an_answer_that_is_too_old_is_not_found(kept):
    put(kept, "https://a/1")
    path = kept.find("https://a/1", max_age=60)
    os.utime(path, (0, path.stat().st_mtime - 100))
    assert kept.find("https://a/1", max_age=60) is None
    assert kept.find("https://a/1") == path


def test_use_does_not_make_an_answer_younger(kept):
    put(kept, "https://a/1")
    path = kept.find("https://a/1")
    os.utime(path, (0, path.stat().st_mtime - 100))
    kept.find("https://a/1")
    assert kept.find("https://a/1", max_age=60) is None


def test_the_environment_says_where_and_how_much(monkeypatch, tmp_path):
    monkeypatch.delenv("DGMP_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert AnswerCache.of_user() == AnswerCache(tmp_path / "dgmp", 10_000_000_000)
    monkeypatch.setenv("DGMP_CACHE", str(tmp_path / "other"))
    monkeypatch.setenv("DGMP_CACHE_GB", "0.5")
    assert AnswerCache.of_user() == AnswerCache(tmp_path / "other", 500_000_000)


def test_a_bound_that_is_no_number_is_refused(monkeypatch):
    monkeypatch.setenv("DGMP_CACHE_GB", "much")
    with pytest.raises(DgmpError, match="DGMP_CACHE_GB must be a number"):
        AnswerCache.of_user()


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(DgmpError, match="cannot be written"):
        put(AnswerCache(tmp_path / "file", 1), "https://a/1")

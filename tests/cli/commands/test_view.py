"""``dgmp view``: what it hands on, and how it says that it cannot."""

from pathlib import Path

import pytest

from ..typed import misused, refused, run


def test_options_are_handed_on(tmp_path, monkeypatch):
    called = {}

    def serve(catalogue, *, ready, renewed, **options):
        called.update(options, catalogue=catalogue)
        ready("http://127.0.0.1:9000/")

    monkeypatch.setattr("dgmp.web.serve", serve)
    result = run("view", tmp_path, "--port", "9000", "--read-only", "--model", "run")
    assert result.exit_code == 0
    assert result.stdout == "http://127.0.0.1:9000/\n"
    assert called == {
        "catalogue": str(tmp_path),
        "host": "127.0.0.1",
        "port": 9000,
        "read_only": True,
        "model": Path("run"),
    }


def test_a_folder_that_is_no_catalogue_is_refused(tmp_path):
    refused(run("view", tmp_path, "--port", "0"), "is no catalogue")


def test_a_missing_package_names_the_extra(tmp_path, monkeypatch):
    def missing(name, *_):
        raise ModuleNotFoundError(f"No module named {name!r}", name="uvicorn")

    monkeypatch.setattr("dgmp.web.serve", lambda *_, **__: missing("uvicorn"))
    refused(run("view", tmp_path), "pip install 'dgmp[web]'")


@pytest.mark.parametrize("port", ["-1", "70000", "x"])
def test_a_port_that_cannot_be_is_wrong_usage(tmp_path, port):
    misused(run("view", tmp_path, "--port", port))

"""One file and one line are enough, as CONTRIBUTING says: a dummy of each, its line set here."""

import gzip
import re
import sys
import types
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from drawing import written
from PIL import Image
from typer.testing import CliRunner

from dgmp.classical import CLASSICAL, ClassicalKind, load_classical, save_describer
from dgmp.cli.app import COMMANDS, make_app
from dgmp.corpora import FORMATS, CorpusFormat, Found, Listed, open_corpus
from dgmp.describers import load_describer
from dgmp.models import ModelSpec, TrainedModel, load_model, save_model
from dgmp.pooling import POOLINGS, Pooling, make_pooling
from dgmp.sources import SOURCES
from dgmp.tasks import describe, evaluate


class FirstPosition(Pooling):
    """A pooling: the features of the first position."""

    def pool(self, phi, weights):
        return phi[:, :, 0]


def test_a_pooling_is_a_class_and_a_line(monkeypatch, tiny, tmp_path):
    monkeypatch.setitem(POOLINGS, "first", FirstPosition)
    features = torch.randn(2, 5, 3, 3)
    torch.testing.assert_close(make_pooling("first", channels=5)(features), features[:, :, 0, 0])
    made = tiny("gmp")
    spec = ModelSpec("resnet20", "first", stem_stride=2)
    save_model(TrainedModel(spec.build().eval(), spec, made.input), tmp_path / "run")
    assert isinstance(load_model(tmp_path / "run").network.pooling, FirstPosition)


@dataclass(frozen=True)
class InkProfile:
    """A classical describer: how much ink is in each of some strips."""

    strips: int = 8

    @property
    def dim(self):
        return self.strips

    def __call__(self, pixels):
        parts = np.array_split(pixels, self.strips)
        shares = np.array([(part < 128).mean() for part in parts], np.float32)
        return shares / max(np.linalg.norm(shares), np.float32(1e-9))


def test_a_classical_describer_is_a_class_and_a_line(monkeypatch, hands, tmp_path):
    monkeypatch.setitem(CLASSICAL, "ink-profile", ClassicalKind("ink by strips", InkProfile()))
    describer = load_describer("ink-profile")
    assert load_classical(save_describer(describer, tmp_path / "saved")).spec == describer.spec
    assert 0 <= evaluate(hands, "ink-profile", split="test").scores.map <= 1
    assert describe(hands, tmp_path / "catalogue", describer=tmp_path / "saved").described == 12


NAME = re.compile(r"hand_(\w+)_leaf_(\d+)")


def list_leaves(found: Found) -> Listed:
    """A corpus format: file names such as hand_anna_leaf_3."""
    listed = Listed()
    for picture in found.pictures:
        if match := NAME.fullmatch(picture.stem):
            listed.files.append((picture, {"writer": match[1], "scan": match[2]}))
    return listed


def test_a_corpus_format_is_a_record_and_a_line(monkeypatch, tmp_path):
    monkeypatch.setitem(FORMATS, "leaves", CorpusFormat("leaves of scribes", list_leaves, NAME))
    for name in ("hand_anna_leaf_1", "hand_anna_leaf_2", "hand_otto_leaf_1"):
        Image.fromarray(written()).save(tmp_path / f"{name}.png")
    corpus = open_corpus(tmp_path)
    assert corpus.kind == "leaves"  # recognised by its file names
    assert [page.writer for page in corpus] == ["anna", "anna", "otto"]
    assert len(open_corpus(tmp_path, kind="leaves")) == 3


@dataclass(frozen=True)
class GzipSource:
    """A page source: a picture in a gzip file."""

    path: Path

    @classmethod
    def at(cls, address):
        return cls(Path(address))

    @classmethod
    def found_in(cls, address):
        return (cls(Path(address)),)

    @property
    def address(self):
        return str(self.path.resolve())

    @property
    def part(self):
        return ""

    @property
    def size(self):
        return None

    def open(self):
        return gzip.open(self.path, "rb")

    def stamp(self):
        return str(self.path.stat().st_mtime_ns) if self.path.exists() else ""

    @property
    def content_hash(self):
        return str(hash(self.path.read_bytes()))


def test_a_page_source_is_a_class_and_a_line(monkeypatch, tmp_path):
    monkeypatch.setitem(SOURCES, ".gz", GzipSource)
    scans = tmp_path / "scans"
    scans.mkdir()
    Image.fromarray(written(seed=1)).save(scans / "plain.png")
    packed = (scans / "plain.png").read_bytes()
    (scans / "packed.png.gz").write_bytes(gzip.compress(packed))
    run = partial(describe, scans, tmp_path / "catalogue", describer="obif")
    done = run()
    assert done.left_out == ()
    ids, vectors = done.catalogue.descriptors().page_ids, done.catalogue.descriptors().vectors
    assert ids == ("packed.png.gz", "plain.png")
    np.testing.assert_allclose(vectors[0], vectors[1])  # the same picture
    assert run().described == 0
    (scans / "packed.png.gz").unlink()
    assert run().changes.vanished == ("packed.png.gz",)


def count(number: int = 3) -> None:
    """A command: count to a number."""
    print(*range(1, number + 1))


def test_a_command_is_a_file_and_a_line(monkeypatch):
    file = types.ModuleType("dgmp.cli.commands.count")
    file.count = count
    monkeypatch.setitem(sys.modules, file.__name__, file)
    result = CliRunner().invoke(make_app((*COMMANDS, "count")), ["count", "--number", "4"])
    assert result.exit_code == 0, result.stderr
    assert result.stdout == "1 2 3 4\n"


def test_contributing_names_every_place_to_add_to():
    text = (Path(__file__).resolve().parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    root = Path(__file__).resolve().parents[1]
    tables = re.findall(r"`([A-Z]+)` in `([\w/.]+\.py)`", text)
    names = {name for name, _ in tables}
    assert names >= {"POOLINGS", "CLASSICAL", "FORMATS", "SOURCES", "COMMANDS"}
    for name, file in tables:
        assert re.search(rf"^{name}\b", (root / file).read_text(encoding="utf-8"), re.MULTILINE)

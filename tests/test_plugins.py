"""A package of somebody else's, with entry points, goes through the verbs."""

import json
import os
import shutil
import sys

import numpy as np
import pytest
import torch
from cli.typed import done, refused, run

from dgmp.describers import load_descriptors
from dgmp.errors import DgmpError, MissingPlugin, UnknownName
from dgmp.models import load_model, make_backbone, save_model
from dgmp.names import missing_extra
from dgmp.plugins import ALLOWED, allow, find, package_of
from dgmp.pooling import POOLINGS, make_pooling
from dgmp.training import find_logger, find_recipe

CODE = '''
"""Parts of a package that knows dgmp."""

import json
from dataclasses import replace

import numpy as np
import torch
from torch import nn

from dgmp.models import Backbone, InputSpec, ModelSpec
from dgmp.pixels import Preparation
from dgmp.pooling import Pooling
from dgmp.training import RECIPES


class Loudest(Pooling):
    """The position of the greatest length, times a number."""

    def __init__(self, times=1.0, *, normalize=True):
        super().__init__(normalize=normalize)
        self.times = nn.Parameter(torch.tensor(float(times)))

    def pool(self, phi, weights):
        length = phi.square().sum(1) if weights is None else phi.square().sum(1) * weights
        first = length.argmax(1).reshape(-1, 1, 1).expand(-1, phi.shape[1], 1)
        return self.times * phi.gather(2, first).squeeze(2)


class Stem(Backbone):
    stride, map_channels, mean, std = 4, 6, (0.5,) * 3, (0.5,) * 3

    def __init__(self, *, pooling=None, classes=None, in_channels=3):
        super().__init__()
        self.in_channels = in_channels
        self.conv = nn.Conv2d(in_channels, 6, 4, stride=4, padding=0)
        self.attach_head(pooling, classes)

    def features(self, images):
        return self.conv(images).relu()


class Ink:
    preparation = Preparation(canonical=None, binarization="otsu")
    dim, spec, calibration = 8, {"kind": "ink-by-strips"}, None

    def describe_page(self, image):
        strips = np.array_split(image.pixels, self.dim)
        shares = np.array([(part < 128).mean() for part in strips], np.float32) + 1e-6
        return shares / np.linalg.norm(shares)


class Lines:
    """A logger: a line for every epoch, and one at the end."""

    def __init__(self, run):
        self.file = run / "lines.txt"

    def log(self, values, epoch):
        with self.file.open("a") as file:
            file.write(json.dumps({"epoch": epoch, **values}) + "\\n")

    def close(self):
        with self.file.open("a") as file:
            file.write("closed\\n")


def small(backbone, pooling):
    looks_at = InputSpec(patch=64, stride=40, min_edges=40, side=32, preparation=Ink.preparation)
    return replace(
        RECIPES["writer-small"], model=ModelSpec(backbone, pooling, {"times": 2.0}), input=looks_at,
        epochs=2, decay_from=1, epoch_steps=1, batch=4, classes_per_batch=2, validation=0,
    )


SMALL = small("scribal-stem", "loudest")
NAMED = small("scribes.parts:Stem", "scribes.parts:Loudest")
'''
ENTRIES = """
[dgmp.poolings]
loudest = scribes.parts:Loudest
gmp = scribes.parts:Loudest
broken = scribes.nowhere:Loudest
wrong = scribes.parts:Ink
[dgmp.backbones]
scribal-stem = scribes.parts:Stem
[dgmp.describers]
ink-by-strips = scribes.parts:Ink
[dgmp.recipes]
scribal = scribes.parts:SMALL
[dgmp.loggers]
lines = scribes.parts:Lines
"""


STEM, LOUDEST = "scribes.parts:Stem", "scribes.parts:Loudest"
OPTIONS = {"entry": (), "named": ("--plugin", STEM, "--plugin", LOUDEST)}
EVERY_RUN = pytest.mark.parametrize(("name", "options"), OPTIONS.items(), ids=OPTIONS)


def forget():
    for name in [name for name in sys.modules if name.partition(".")[0] == "scribes"]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    (folder / "scribes").mkdir()
    (folder / "scribes" / "__init__.py").touch()
    (folder / "scribes" / "parts.py").write_text(CODE)
    about = folder / "scribal_tools-1.2.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: scribal-tools\nVersion: 1.2\n")
    (about / "entry_points.txt").write_text(ENTRIES)
    (about / "top_level.txt").write_text("scribes\n")
    return folder


@pytest.fixture
def installed(package, monkeypatch):
    monkeypatch.syspath_prepend(package)
    monkeypatch.setenv(ALLOWED, "")  # not deleted: what a test allows ends with it
    yield package
    forget()


@pytest.fixture
def uninstalled(monkeypatch):
    monkeypatch.setenv(ALLOWED, "")
    forget()


@pytest.fixture(scope="module")
def trained(package, hands, tmp_path_factory):
    """Two runs: by the names of entry points, and by the names of modules."""
    folder = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(package)
        patch.setenv(ALLOWED, "")
        patch.setenv("PYTHONPATH", str(package))
        for name, recipe, log in (
            ("entry", "scribal", "lines"),
            ("named", "scribes.parts:NAMED", "scribes.parts:Lines"),
        ):
            out = ("--out", folder / name, "--log", log)
            done(*OPTIONS[name], "train", recipe, "--data", hands, *out)
    forget()
    return folder


@EVERY_RUN
def test_trained_network_evaluates_describes_and_finds(
    installed, trained, hands, tmp_path, name, options
):
    into = ("--catalogue", tmp_path / "c", "--describer", trained / name)
    done(*options, "evaluate", hands, "--describer", trained / name)
    done(*options, "describe", hands, "--workers", "0", *into)
    shutil.copy(hands / "w0_p0.png", tmp_path / "new.png")  # has to be described
    found = done(*options, "search", tmp_path / "c", tmp_path / "new.png", "-n", "3", "--json")
    hits = [json.loads(line) for line in found.stdout.splitlines()]
    assert len(hits) == 3
    assert hits[0]["cosine"] > 0.999


@EVERY_RUN
def test_trained_network_is_loaded_as_it_was_and_its_pooling_has_learned(
    installed, trained, name, options
):
    allow(options)
    model = load_model(trained / name)
    assert type(model.network).__name__ == "Stem"
    assert type(model.network.pooling).__name__ == "Loudest"
    assert model.network.pooling.times != 2.0
    parts = (f"backbone {model.spec.backbone}", f"pooling {model.spec.pooling}")
    assert model.made["plugins"] == dict.fromkeys(parts, "scribal-tools 1.2")


def test_trained_network_is_exported(installed, trained, tmp_path):
    pytest.importorskip("onnxruntime")
    done(*OPTIONS["named"], "export", trained / "named", "--out", tmp_path / "model.onnx")
    assert (tmp_path / "model.onnx").stat().st_size > 0


def test_network_that_modules_name_describes_the_same_in_another_process(
    installed, trained, hands, tmp_path, forks
):
    program = installed / "alone.py"  # beside the package, which is imported from there
    program.write_text("from dgmp.cli import main\n\nmain()\n")
    words = (*OPTIONS["named"], "describe", hands, "--workers", 0, "--describer", trained / "named")
    done(*words, "--out", tmp_path / "here.npz")
    there = forks.run(program, *words, "--out", tmp_path / "there.npz", cwd=tmp_path)
    assert there.returncode == 0, there.stderr
    vectors = [load_descriptors(tmp_path / f"{each}.npz").vectors for each in ("here", "there")]
    np.testing.assert_array_equal(*vectors)


def test_describer_is_found_by_name_and_again_by_its_catalogue(installed, hands, tmp_path):
    done(
        "describe",
        hands,
        "--workers",
        "0",
        "--catalogue",
        tmp_path / "c",
        "--describer",
        "ink-by-strips",
    )
    shutil.copy(hands / "w0_p0.png", tmp_path / "new.png")
    done("search", tmp_path / "c", tmp_path / "new.png")
    done("evaluate", hands, "--describer", "ink-by-strips")


@pytest.mark.parametrize("name", OPTIONS)
def test_logger_is_given_every_epoch_and_the_end(trained, name):
    *epochs, last = (trained / name / "lines.txt").read_text().splitlines()
    assert [json.loads(line)["epoch"] for line in epochs] == [0, 1]
    assert all(json.loads(line)["loss"] >= 0 for line in epochs)
    assert last == "closed"


def test_missing_package_is_named(uninstalled, trained, hands):
    with pytest.raises(MissingPlugin, match=r"'scribal-stem' of scribal-tools 1\.2"):
        load_model(trained / "entry")
    refused(run("evaluate", hands, "--describer", trained / "entry"), "scribal-tools 1.2")


def test_module_that_a_file_names_is_not_imported(installed, trained, hands):
    with pytest.raises(MissingPlugin, match=r"--plugin scribes\.parts:Stem"):
        load_model(trained / "named")
    assert "scribes" not in sys.modules


def test_module_that_an_option_names_is_imported(installed, hands, tmp_path):
    done("evaluate", hands, "--describer", "scribes.parts:Ink")


def test_catalogue_never_imports_the_module_it_names(installed, hands, tmp_path, monkeypatch):
    named = "scribes.parts:Ink"
    done("describe", hands, "--workers", "0", "--catalogue", tmp_path / "c", "--describer", named)
    forget()
    monkeypatch.delenv(ALLOWED)
    shutil.copy(hands / "w0_p0.png", tmp_path / "new.png")  # has to be described
    result = run("search", tmp_path / "c", tmp_path / "new.png")
    assert result.exit_code == 1
    assert "--plugin scribes.parts:Ink" in result.stderr
    assert "scribes" not in sys.modules


def test_plug_in_never_takes_the_place_of_dgmps_own(installed):
    assert find("gmp", POOLINGS, "pooling") is POOLINGS["gmp"]


def test_names_of_plug_ins_are_offered(installed):
    with pytest.raises(UnknownName, match="did you mean 'loudest'"):
        make_pooling("loudst", channels=3)


def test_unknown_option_of_a_plug_in_is_refused_before_any_work(installed, hands, tmp_path):
    change = "model.pooling_options.time=3"
    out = tmp_path / "run"
    refused(
        run("train", "scribal", "--data", hands, "--out", out, "--set", change), "no option 'time'"
    )
    assert not out.exists()


def test_what_cannot_be_imported_or_is_of_another_kind_is_said(installed):
    with pytest.raises(DgmpError, match=r"'broken' cannot be imported: ModuleNotFoundError"):
        make_pooling("broken", channels=3)
    with pytest.raises(DgmpError, match="'wrong' is no subclass of"):
        make_pooling("wrong", channels=3)
    allow(["scribes.parts:Ink"])
    with pytest.raises(DgmpError, match="must take pooling="):
        make_backbone("scribes.parts:Ink")
    with pytest.raises(DgmpError, match=r"no dgmp\.training\.Recipe"):
        find_recipe("scribes.parts:Ink")


def test_only_names_of_modules_are_allowed(monkeypatch):
    monkeypatch.delenv(ALLOWED, raising=False)
    allow(["--pooling", "a.b:C", "--set", "model.backbone=d:E", "http://f:80/", "C:\\g", "h.i"])
    assert os.environ.pop(ALLOWED).split() == ["a.b:C", "d:E"]


def test_package_of_a_module_is_found(installed):
    assert package_of("gmp", POOLINGS, "pooling") is None
    assert package_of("numpy:ndarray", {}, "pooling").startswith("numpy ")


def test_tensorboard_is_a_logger_like_any_other(tmp_path):
    pytest.importorskip("tensorboard")
    log = find_logger("tensorboard")(tmp_path)
    log.log({"loss": 0.5}, 0)
    log.close()
    assert list((tmp_path / "tensorboard").iterdir())


def test_timm_models_are_backbones_by_name(tiny, tmp_path):
    pytest.importorskip("timm")
    backbone = make_backbone("timm:test_resnet", in_channels=1)
    images = torch.randn(1, 1, 70, 50)
    assert backbone.features(images).shape[1] == backbone.map_channels
    assert backbone(images).shape == (1, backbone.map_channels)
    tokens = make_backbone("timm:test_vit", in_channels=1, pooling=make_pooling("gmp", channels=64))
    assert tokens.features(torch.randn(1, 1, 64, 96)).shape == (1, 64, 4, 6)
    with pytest.raises(UnknownName, match="did you mean 'resnet18'"):
        make_backbone("timm:resnet18x")


def test_timm_is_asked_for_where_it_is_missing(monkeypatch):
    assert "dgmp[timm]" in str(missing_extra("timm"))


def test_save_without_plug_ins_says_nothing_of_them(tiny, tmp_path):
    save_model(tiny(), tmp_path / "run")
    assert "plugins" not in load_model(tmp_path / "run").made

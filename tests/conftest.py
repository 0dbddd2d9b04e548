"""One thread per test process, since the processes share the cores; small models and corpora."""

import gc
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch is imported; subprocesses inherit it

import pytest
from drawing import written
from forks import forks  # noqa: F401
from hypothesis import settings
from s3_server import s3, s3_server  # noqa: F401

settings.register_profile("dgmp", deadline=None)  # machines are shared: no law about time
settings.load_profile("dgmp")

gc.disable()  # until all is imported, which stays


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop():
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)  # in place of 700: most of what tests make goes by itself
    gc.enable()


def pytest_sessionfinish():
    gc.freeze()  # nothing is searched for garbage when the process ends


# Small squares of small pages, as they are: nothing is estimated or resampled.
LOOKS_AT = {"patch": 64, "stride": 40, "min_edges": 40, "side": 32}
SCRIPTS = ("Caroline", "Cursiva", "Uncial")


def make_tiny(pooling="gmp", classes=None, seed=0, **options):
    """A ResNet-20 with random weights whose map of a square is 4 × 4."""
    import torch

    from dgmp.models import InputSpec, ModelSpec, Standardization, TrainedModel
    from dgmp.pixels import Preparation

    if pooling == "gmp" and not options:
        options = {"relative": True, "center": True}
    spec = ModelSpec("resnet20", pooling, options, stem_stride=2)
    looks_at = InputSpec(
        **LOOKS_AT,
        preparation=Preparation(canonical=None, binarization="otsu"),
        standardization=Standardization(0.9, 0.3),
    )
    torch.manual_seed(seed)
    network = spec.build(None if classes is None else len(classes))
    for module in network.modules():  # as if it had seen pages
        if hasattr(module, "running_mean"):
            module.running_mean.uniform_(0, 0.1)
    return TrainedModel(network.eval(), spec, looks_at, classes, {"task": "test"})


@pytest.fixture(scope="session")
def tiny():
    """A function that makes a small model."""
    return make_tiny


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """A folder with two saved models, ``writers`` and ``scripts``."""
    from dgmp.models import save_model

    folder = tmp_path_factory.mktemp("runs")
    save_model(make_tiny(), folder / "writers")
    save_model(make_tiny(classes=SCRIPTS), folder / "scripts")
    return folder


@pytest.fixture(scope="session")
def hands(tmp_path_factory):
    """A corpus of four writers with three pages each; two writers train, two test."""
    from PIL import Image

    folder = tmp_path_factory.mktemp("hands")
    lines = ["file,writer,script,manuscript,split"]
    for number, script in enumerate((*SCRIPTS, SCRIPTS[0])):
        for page in range(3):
            name = f"w{number}_p{page}.png"
            drawn = written(190, 130, distance=30 + 6 * number, letter=10 + 3 * number, seed=page)
            Image.fromarray(drawn).save(folder / name)
            side = "train" if number < 2 else "test"
            lines.append(f"{name},w{number},{script},m{number},{side}")
    (folder / "pages.csv").write_text("\n".join(lines) + "\n")
    return folder

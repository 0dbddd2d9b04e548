"""Small pages that are quick to draw, and a small describer that tells their writers apart.

Folders whose tests use the fixtures at the end import them into their conftest.py.
"""

import shutil
import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import pytest

from dgmp.classical import fit_script_classifier, save_script_classifier
from dgmp.corpora import open_corpus
from dgmp.describers import describe_pages
from dgmp.errors import ImageError, UnknownName
from dgmp.hands import Calibration, fit_calibration
from dgmp.pixels import Preparation, read_pages


def draw_page(writer, page, path):
    """Five lines of zigzag: slant, width and thickness are the writer's, the rest is chance."""
    own, chance = np.random.default_rng(writer), np.random.default_rng((writer, page))
    slant, advance, pen = own.uniform(-0.9, 0.9), own.uniform(4, 14), own.integers(1, 5)
    pixels = np.full((260, 320), 255, np.uint8)
    for line in range(5):
        x = 12 + np.cumsum(chance.uniform(0.7, 1.3, 40) * advance)
        high = np.arange(40) % 2 * chance.uniform(10, 22, 40)
        points = np.stack([x + slant * high, 45 + 45 * line - high], axis=1)
        points = points[(points[:, 0] > 8) & (points[:, 0] < 312)]
        cv2.polylines(pixels, [np.rint(points).astype(np.int32)], False, 0, int(pen), cv2.LINE_AA)
    path.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(path), pixels)


def draw_shared_page(writers, page, path):
    """Five lines by each writer, one below the other, 45 pixels apart."""
    parts = []
    for place, writer in enumerate(writers):
        draw_page(writer, 100 * page + place, path)
        parts.append(cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)[15:240])
    cv2.imwrite(str(path), np.vstack(parts))


@dataclass(frozen=True)
class StrokeDescriber:
    """A histogram of the directions of ink edges at two widths."""

    bins: int = 24
    seconds: float = 0.0  # what a page takes besides
    calibration: Calibration | None = field(default=None, compare=False)
    preparation = Preparation(canonical=None)

    @property
    def dim(self):
        return 2 * self.bins

    @property
    def spec(self):
        return {"kind": "strokes", "bins": self.bins}

    def describe_page(self, image):
        if self.seconds:
            time.sleep(self.seconds)
        ink = 255.0 - image.pixels.astype(np.float32)
        parts = []
        for sigma in (1.0, 3.0):
            smooth = cv2.GaussianBlur(ink, (0, 0), sigma)
            across, down = cv2.Sobel(smooth, cv2.CV_32F, 1, 0), cv2.Sobel(smooth, cv2.CV_32F, 0, 1)
            weight, angle = cv2.cartToPolar(across, down)
            number = (angle * (self.bins / np.pi)).astype(np.intp) % self.bins
            parts.append(np.bincount(number.ravel(), weight.ravel(), self.bins))
        vector = np.sqrt(np.concatenate(parts))
        vector -= vector.mean()  # or all cosines would be near 1
        length = np.linalg.norm(vector)
        if not length:
            raise ImageError(image.page.id, "no strokes")
        return (vector / length).astype(np.float32)


def label_writers(scans):
    """Put a label file beside the pages of the fixture ``scans``."""
    rows = [f"{i}-{j}.png,writer {i}" for i in range(4) for j in range(3)]
    (scans / "labels.csv").write_text("\n".join(["file,writer", *rows]))


def draw_scans(folder):
    """Twelve pages by four writers, without labels."""
    for writer in range(4):
        for page in range(3):
            draw_page(writer, page, folder / f"{writer}-{page}.png")
    return folder


@pytest.fixture
def scans(tmp_path):
    """The pages of :func:`draw_scans`."""
    return draw_scans(tmp_path / "scans")


def draw_books(folder):
    """Two books of three pages with three bands each, whose second hand begins on the second."""
    for book, (one, two) in {"ms 1": (0, 1), "ms 2": (0, 2)}.items():
        draw_shared_page([one, one, one], 1, folder / book / "f1.png")
        draw_shared_page([one, two, two], 2, folder / book / "f2.png")
        draw_shared_page([two, two, two], 10, folder / book / "f10.png")
    return folder


@pytest.fixture
def books(tmp_path):
    """The books of :func:`draw_books`."""
    return draw_books(tmp_path / "books")


@pytest.fixture(scope="session")
def calibrated_describer(tmp_path_factory):
    """Calibrated on writers 1000, 1001, …, who wrote no page of another test."""
    folder = tmp_path_factory.mktemp("known")
    for writer in range(25):
        for page in range(4):
            draw_page(1000 + writer, page, folder / f"w{writer}" / f"{page}.png")
    plain = StrokeDescriber()
    found = describe_pages(open_corpus(folder, kind="writers").pages, plain, halves=True)
    scans = [page.scan for page in found.pages]
    calibration = fit_calibration(
        found.descriptors, found.descriptors.labels, scans, collections=20
    )
    return replace(plain, calibration=calibration)


def know_strokes(monkeypatch, calibrated=None):
    """Let the tasks load ``raw``, ``finer``, another, and ``default``, which may be calibrated."""
    known = {
        "default": calibrated or StrokeDescriber(),
        "raw": StrokeDescriber(),
        "finer": StrokeDescriber(bins=32),
    }

    def load(name):
        if name not in known:
            raise UnknownName(f"no describer called {name!r}")
        return known[name]

    monkeypatch.setattr("dgmp.tasks.describing.load_describer", load)
    monkeypatch.setattr("dgmp.tasks.opening.load_describer", load)
    return known


@pytest.fixture
def stroke_describers(monkeypatch, calibrated_describer):
    """What the tasks load by name: ``default`` is calibrated, ``raw`` not, ``finer`` another."""
    return know_strokes(monkeypatch, calibrated_describer)


@contextmanager
def knowing_strokes(calibrated=None):
    """The same for the fixture of a module or session, until the end of the block."""
    with pytest.MonkeyPatch.context() as patch:
        yield know_strokes(patch, calibrated)


def as_kept(folder):
    """The folder ``now`` as it was when ``kept`` beside it was copied: same paths, same times."""
    shutil.rmtree(folder / "now", ignore_errors=True)
    return shutil.copytree(folder / "kept", folder / "now")


@pytest.fixture(scope="session")
def described_once(tmp_path_factory, calibrated_describer):
    """A folder whose ``kept`` has ``scans`` and their ``catalogue`` by the calibrated describer."""
    from dgmp.engines import Here  # not for the programs that import a describer from here
    from dgmp.tasks import describe

    folder = tmp_path_factory.mktemp("shelf")
    with knowing_strokes(calibrated_describer):
        scans = draw_scans(folder / "now" / "scans")
        describe(scans, folder / "now" / "catalogue", engine=Here())
    shutil.copytree(folder / "now", folder / "kept")
    return folder


@pytest.fixture
def shelf(described_once):
    """The ``scans`` and their ``catalogue``, which a test may change."""
    return as_kept(described_once)


@pytest.fixture(scope="session")
def classical_scripts(hands, tmp_path_factory):
    """The folder of a classical script classifier, fitted on the corpus ``hands``."""
    preparation = Preparation(canonical=None, binarization="otsu")
    images = list(read_pages(open_corpus(hands).pages, preparation))
    found = fit_script_classifier(images, describer="srs-lbp", preparation=preparation)
    return save_script_classifier(found, tmp_path_factory.mktemp("classical") / "scripts")

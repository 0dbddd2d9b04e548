"""Whether pages share a scale is decided by how alike they are described."""

from dataclasses import dataclass

import cv2
import numpy as np
import pytest
from drawing import written

from dgmp.catalogue import Catalogue
from dgmp.corpora import open_corpus
from dgmp.describers import Describer
from dgmp.errors import ImageError
from dgmp.pixels import Preparation
from dgmp.records import Page
from dgmp.tasks import describe
from dgmp.tasks.readying.own_scales import RUN, SAMPLE, _sample, own_scales_are_better
from dgmp.tasks.readying.scaling import KnownScale, collection_scale, scale_pages

DISTANCES = (36, 40, 44, 48)  # of the pages of each writer
SHARED = 42


@dataclass(frozen=True)
class HandDescriber:
    """Pages of a hand are alike at the right scale, and like nothing else at another."""

    varied: bool  # whether the right scale is that of the page; else the shared one
    of_one_hand: bool = True  # else each page is by another
    broken: bool = False
    preparation = Preparation()
    calibration = None
    dim = 20

    @property
    def spec(self):
        return {"kind": "hand"}

    def describe_page(self, image):
        if self.broken:
            raise ImageError(image.page.id, "cannot be described")
        writer, distance = image.page.id.removesuffix(".png").split("-")
        right = float(distance) if self.varied else SHARED
        off = min(5 * abs(np.log(image.line_distance / right)), np.pi / 2)
        own = 3 + 4 * int(writer) + DISTANCES.index(int(distance))
        vector = np.zeros(self.dim, np.float32)
        vector[int(writer) if self.of_one_hand else own] = np.cos(off)
        vector[own] += np.sin(off)
        return vector / np.linalg.norm(vector)


@pytest.fixture(scope="module")
def scans(tmp_path_factory):
    """Four pages by each of three writers, written at four sizes."""
    folder = tmp_path_factory.mktemp("scans")
    for writer in range(3):
        for distance in DISTANCES:
            page = written(400, 360, distance=distance, letter=distance // 3, seed=writer)
            cv2.imwrite(str(folder / f"{writer}-{distance}.png"), page)
    return folder


@pytest.fixture(scope="module")
def pages(scans):
    return open_corpus(scans).pages


def own(pages):
    return {page.id: float(page.id.removesuffix(".png").split("-")[1]) for page in pages}


def better(pages, describer, **options):
    shared = dict.fromkeys(own(pages), float(SHARED))
    return own_scales_are_better(pages, describer, shared, own(pages), **options)


def test_pages_keep_their_own_scales_where_that_makes_them_alike(pages):
    assert better(pages, HandDescriber(varied=True))


def test_the_size_of_writing_is_kept_where_it_belongs_to_the_hand(pages):
    assert not better(pages, HandDescriber(varied=False))


def test_pages_by_a_hand_each_share_their_scale(pages):
    assert not better(pages, HandDescriber(varied=True, of_one_hand=False))


def test_a_few_pages_say_nothing_and_are_not_described(pages):
    assert not better(pages[:7], HandDescriber(varied=True), stage=pytest.fail)


def test_pages_of_nearly_one_size_are_not_described(pages):
    near = {page.id: 1.03 * SHARED for page in pages}
    shared = dict.fromkeys(near, float(SHARED))
    describer = HandDescriber(varied=True)
    assert not own_scales_are_better(pages, describer, shared, near, stage=pytest.fail)


def test_where_no_page_can_be_described_the_scale_stays_shared(pages):
    assert not better(pages, HandDescriber(varied=True, broken=True))


def test_of_many_pages_runs_of_neighbours_are_compared(pages):
    many = [Page(f"{i:04}", pages[0].source) for i in range(1000)]
    places = [int(page.id) for page in _sample(many[::-1])]
    assert len(set(places)) == SAMPLE
    starts = places[::RUN]
    assert places == [start + i for start in starts for i in range(RUN)]
    assert (starts[0], places[-1]) == (0, 999)


def test_a_corpus_that_is_judged_is_scaled_so(pages):
    describer = HandDescriber(varied=True)
    apart = scale_pages(pages, Preparation(), KnownScale(), describer=describer).distances
    together = scale_pages(pages, Preparation(), KnownScale()).distances
    assert apart == pytest.approx(own(pages), rel=0.05)
    assert len(set(together.values())) == 1


def test_a_catalogue_keeps_what_was_found(scans, pages, tmp_path, monkeypatch):
    def load(name) -> Describer:
        return HandDescriber(varied=True)

    for task in ("describing", "opening"):
        monkeypatch.setattr(f"dgmp.tasks.{task}.load_describer", load)
    made = describe(scans, tmp_path / "catalogue").catalogue
    scale = collection_scale(Catalogue.open(made.folder))
    assert scale.plain.modes == ()
    assert scale.extended([]) == scale  # whatever comes later

"""Photographs described: pages found on them once, kept, and named where there is no writing."""

import shutil

import numpy as np
import pytest
from photographs import on_table, opening, page_of, with_ruler
from PIL import Image
from scribbles import as_kept, knowing_strokes

from dgmp.catalogue import Catalogue, read_areas
from dgmp.corpora import open_corpus
from dgmp.engines import Here
from dgmp.errors import CatalogueError, ImageError, NoWriting
from dgmp.records import Decision
from dgmp.tasks import decide, decisions, describe, describe_to_file, search
from dgmp.tasks.readying import find_pages

pytestmark = pytest.mark.usefixtures("stroke_describers")
EMPTY = "empty.png"
IDS = ["clean.png", "opening.png#side=0", "opening.png#side=1", "side.png", "table.png"]
ALTO = """<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Layout><Page WIDTH="840"
HEIGHT="640"><PrintSpace><TextBlock HPOS="100" VPOS="100" WIDTH="400" HEIGHT="300"/></PrintSpace>
</Page></Layout></alto>"""


def save(pixels, path):
    Image.fromarray(pixels).save(path, compress_level=1)


@pytest.fixture(scope="module")
def once(tmp_path_factory):
    """Photographs and a catalogue of them, described once."""
    folder = tmp_path_factory.mktemp("once")
    photographs = folder / "now" / "photographs"
    photographs.mkdir(parents=True)
    save(page_of(1), photographs / "clean.png")
    save(on_table(page_of(1)), photographs / "table.png")
    save(on_table(opening(page_of(2), page_of(2))), photographs / "opening.png")
    save(np.rot90(on_table(page_of(3))), photographs / "side.png")
    save(with_ruler(np.full((500, 900), 45, np.uint8)), photographs / EMPTY)
    with knowing_strokes():
        done = describe(photographs, folder / "now" / "catalogue", describer="raw", engine=Here())
    shutil.copytree(folder / "now", folder / "kept")
    return folder, done


@pytest.fixture
def place(once):
    """A folder that a test may change: the photographs and their catalogue as at first."""
    return as_kept(once[0])


@pytest.fixture
def photographs(place):
    return place / "photographs"


@pytest.fixture
def described(place):
    """How to bring the catalogue up to date."""

    def update(**options):
        folders = (place / "photographs", place / "catalogue")
        return describe(*folders, describer="raw", engine=Here(), **options)

    return update


@pytest.fixture
def anew(place, described):
    """How to describe photographs that no catalogue knows yet."""
    shutil.rmtree(place / "catalogue")
    return described


def ids(done):
    return list(done.catalogue.descriptors().page_ids)


def test_the_pages_of_photographs_are_in_the_catalogue(once):
    done = once[1]
    assert ids(done) == IDS
    assert done.described == len(IDS)
    pages = dict(zip(IDS, done.catalogue.pages(IDS), strict=True))
    assert pages["side.png"].turn == 1
    assert pages["table.png"].regions is not None
    assert pages["opening.png#side=0"].scan == pages["opening.png#side=1"].scan == "opening.png"


def test_a_clean_page_goes_on_as_it_was(photographs):
    corpus = open_corpus(photographs)
    found = {page.id: page for page in find_pages(corpus, corpus.pages).pages}
    assert found["clean.png"] == corpus.pages[0]


def test_a_picture_without_writing_is_named_every_time(described, once):
    reason = (EMPTY, "no writing: nothing has the size of letters")
    assert reason in once[1].left_out
    failures = []
    assert reason in described(on_failure=failures.append).left_out
    assert [str(failure) for failure in failures] == [": ".join(reason)]


def test_unchanged_pictures_are_not_looked_at_again(described, monkeypatch):
    def fail(page):
        raise AssertionError(f"{page.id} is read again")

    monkeypatch.setattr("dgmp.tasks.readying.finding.find_writing", fail)
    assert described().described == 0


def test_a_changed_picture_is_looked_at_again(described, photographs):
    save(on_table(page_of(2)), photographs / "opening.png")
    assert ids(described()) == ["clean.png", "opening.png", "side.png", "table.png"]


def test_decisions_on_pages_that_gave_way_to_others_are_named(described, place, photographs):
    into = Catalogue.open(place / "catalogue")
    sides = ("opening.png#side=0", "opening.png#side=1")
    kept = decide(into, Decision("different", ("clean.png",), ("side.png",)))
    idle = decide(into, Decision("same", sides))
    save(on_table(page_of(2)), photographs / "opening.png")
    done = described()
    assert done.replaced == sides
    assert done.without_effect == (idle,)
    assert kept in decisions(into)
    assert "2 vanished" in str(done)
    assert described().without_effect == ()


@pytest.mark.parametrize("way", ["in rounds", "once more"])
def test_decisions_are_named_however_often_pages_are_gone_through(
    described, place, photographs, monkeypatch, way
):
    def write_again(title, pages):
        if title == "describing pages" and not written:
            written.append(save(on_table(page_of(3)), photographs / "opening.png"))
        return lambda number: None

    written = []
    into = Catalogue.open(place / "catalogue")
    sides = ("opening.png#side=0", "opening.png#side=1")
    idle = decide(into, Decision("same", sides))
    save(on_table(page_of(2)), photographs / "opening.png")
    if way == "in rounds":
        rounds = lambda pages: [frozenset([page.id]) for page in pages]  # noqa: E731
        monkeypatch.setattr("dgmp.tasks.describing._rounds", rounds)
        done = described()
    else:
        done = described(stage=write_again)
    assert done.replaced == sides
    assert done.without_effect == (idle,)


def test_a_picture_that_was_described_whole_gives_way_to_its_pages(anew, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("dgmp.tasks.readying.finding.needs_looking", lambda page: False)
        assert EMPTY in ids(anew())
    assert ids(anew()) == IDS


def test_what_was_found_is_kept_with_the_catalogue(place):
    areas = read_areas(place / "catalogue")
    assert areas["side.png"].turn == 1
    assert len(areas["opening.png"].sides) == 2
    assert areas[EMPTY].reason
    assert areas["clean.png"].sides == ()


def test_a_layout_file_takes_precedence(anew, photographs):
    (photographs / "table.xml").write_text(ALTO)
    (page,) = anew().catalogue.pages(["table.png"])
    assert page.regions[0].bounds == (100, 100, 500, 400)


def test_bands_lie_on_the_pages_that_were_found(anew, place):
    done = anew(by="band")
    bands = [id for id in ids(done) if id.startswith("opening.png")]
    assert {id.partition("#band=")[0] for id in bands} == set(IDS[1:3])
    assert Catalogue.open(place / "catalogue").head.by == "band"


def test_photographs_keep_their_own_scale(photographs, tmp_path, monkeypatch):
    asked = []

    def scale(*given, alone, **options):
        asked.append(alone)
        raise KeyboardInterrupt

    monkeypatch.setattr("dgmp.tasks.describing.scale_for_catalogue", scale)
    with pytest.raises(KeyboardInterrupt):
        describe(photographs, tmp_path / "new", describer="raw", engine=Here())
    assert asked == [set(IDS) - {"clean.png"}]


def test_a_file_of_descriptors_has_the_same_pages(photographs, tmp_path):
    written = describe_to_file(photographs, tmp_path / "d.npz", describer="raw", engine=Here())
    assert written.pages == len(IDS)
    assert (EMPTY, "no writing: nothing has the size of letters") in written.left_out


def test_a_photograph_is_looked_up_by_its_writing(place, tmp_path):
    catalogue = Catalogue.open(place / "catalogue")
    save(np.rot90(on_table(page_of(1), left=120), 3), tmp_path / "query.png")
    first = search(catalogue, tmp_path / "query.png", 1)[0]
    assert first.page_id in ("clean.png", "table.png")


def test_a_picture_without_writing_cannot_be_looked_up(place, tmp_path):
    catalogue = Catalogue.open(place / "catalogue")
    save(np.full((600, 800), 220, np.uint8), tmp_path / "blank.png")
    with pytest.raises(NoWriting, match=r"blank.png: no writing"):
        search(catalogue, tmp_path / "blank.png")


def test_a_search_with_an_opening_asks_which_page_is_meant(place, photographs, tmp_path):
    catalogue = Catalogue.open(place / "catalogue")
    copy = tmp_path / "copy.png"
    save(on_table(opening(page_of(2), page_of(2))), copy)
    with pytest.raises(CatalogueError, match=r"'opening.png#side=0' or 'opening.png#side=1'"):
        search(catalogue, photographs / "opening.png")
    with pytest.raises(ImageError, match=r"shows two pages: .*#side=0"):
        search(catalogue, copy)
    for side in (0, 1):
        nearest = search(catalogue, f"{copy}#side={side}", n=1)[0]
        assert nearest.page_id == f"opening.png#side={side}"
        assert nearest.cosine > 0.99

"""What speaks for the hand of each page, over pages by the describer of the package."""

import json
import pickle
from dataclasses import replace

import pytest

from dgmp.hands import Background
from dgmp.records import Hand
from dgmp.tasks import compare, export_hands, search, vouching
from dgmp.tasks.vouching import _Vouching, page_evidence

IDS = ["0-0.png", "0-1.png", "1-0.png", "1-1.png"]


@pytest.fixture(scope="module")
def catalogue(described):
    return described


@pytest.fixture(scope="module")
def hands():
    """A hand of three pages and a page alone."""
    return (
        Hand(1, (IDS[0], IDS[1], IDS[2]), (0.9, 0.8, 0.6), 0.7, 2),
        Hand(2, (IDS[3],), (1.0,), 0.5, 1),
    )


@pytest.fixture(scope="module")
def evidence(catalogue, hands):
    return page_evidence(catalogue, hands)


def test_evidence_is_the_most_alike_page_of_the_same_hand(catalogue, hands, evidence):
    for id in hands[0].page_ids:
        others = [h.page_id for h in search(catalogue, id) if h.page_id in hands[0].page_ids]
        assert (evidence[id].page_id, evidence[id].hand) == (others[0], 1)


def test_a_page_alone_has_a_page_of_the_nearest_other_hand(catalogue, hands, evidence):
    others = [h.page_id for h in search(catalogue, IDS[3]) if h.page_id in hands[0].page_ids]
    assert (evidence[IDS[3]].page_id, evidence[IDS[3]].hand) == (others[0], 1)


def test_likenesses_are_found_of_the_nearest_pages_only(catalogue, hands, evidence, monkeypatch):
    placed = []

    def place(background, pages, *arguments):
        placed.append(len(pages.page_ids))
        return real(background, pages, *arguments)

    real = Background.place
    monkeypatch.setattr(Background, "place", place)
    monkeypatch.setattr(vouching, "_JUDGED", 2, raising=False)
    assert page_evidence(catalogue, hands) == evidence
    assert max(placed) == 2


def test_figures_are_those_of_a_comparison_and_shares_add_up(catalogue, evidence):
    for id, found in evidence.items():
        compared = compare(catalogue, id, found.page_id, pieces=0)
        assert (found.cosine, found.probability) == (compared.cosine, compared.probability)
        shares = sum(share for _, _, share in found.pieces)
        assert len(found.pieces) > 2
        assert shares + found.rest == pytest.approx(found.cosine, abs=1e-9)


def test_those_that_fit_least_come_first_where_there_are_too_many(catalogue, hands):
    with pytest.warns(UserWarning, match="1 of 4 pages have evidence"):
        assert list(page_evidence(catalogue, hands, most=1)) == [IDS[2]]


def test_a_page_whose_scan_is_gone_has_figures_only(catalogue, hands, evidence):
    scan = catalogue.folder.parent / "scans" / IDS[2]
    scan.rename(scan.with_suffix(".away"))
    try:
        with pytest.warns(UserWarning, match="1 of 4"):
            (found,) = page_evidence(catalogue, hands, most=1).values()
    finally:
        scan.with_suffix(".away").rename(scan)
    assert found == replace(evidence[IDS[2]], pieces=(), rest=found.cosine)


def test_the_only_page_of_all_has_no_evidence(catalogue):
    assert page_evidence(catalogue, [Hand(1, (IDS[0],), (1.0,), 1.0, None)]) == {}


def test_another_process_finds_the_same(catalogue, evidence):
    work = _Vouching(catalogue, {IDS[0]: 1, IDS[1]: 1}, {IDS[0]: (1, IDS[1])})
    work = pickle.loads(pickle.dumps(work))
    assert work(catalogue.pages(IDS[:1])[0]) == replace(evidence[IDS[0]], page_id=IDS[1])


@pytest.fixture(scope="module")
def exported(catalogue, hands, tmp_path_factory):
    """The folder of an export after some files, and the stages that were begun."""
    folder, begun = tmp_path_factory.mktemp("exported"), []

    def stage(name, total):
        begun.append((name, total))
        return lambda done: None

    for name in ("hands.csv", "hands.tei.xml", "iiif"):
        export_hands(catalogue, hands, folder / name, stage=stage)
    return folder / "iiif", begun


def test_only_iiif_takes_the_time_and_says_how_far_it_is(exported):
    folder, begun = exported
    assert begun == [("looking for evidence", 4)]
    notes = json.loads((folder / "hands" / "1-pages.json").read_text())["items"]
    assert all("evidence" in json.loads(note["body"][1]["value"]) for note in notes)


def test_pieces_lie_on_their_canvases(exported):
    files = (exported[0] / "manifests").iterdir()
    (canvases,) = (json.loads(file.read_text())["items"] for file in files)
    sizes = {canvas["id"]: (canvas["width"], canvas["height"]) for canvas in canvases}
    places = []
    for canvas in canvases:
        for link in canvas["annotations"][1]["items"]:
            places.append(link["target"].split("#"))
            body = link["body"][0]
            places.append((body["source"]["id"], body["selector"]["value"]))
    assert len(places) > 16
    for canvas, fragment in places:
        left, top, width, height = map(int, fragment.removeprefix("xywh=").split(","))
        assert min(left, top) >= 0
        assert min(width, height) > 0
        assert left + width <= sizes[canvas][0]
        assert top + height <= sizes[canvas][1]

"""Pages of manifests and collections: their names, and what is left out."""

import json

import pytest

from dgmp.errors import ImageError
from dgmp.sources import canvas_list, list_address, list_all, open_source, read_address_list
from sources.iiif_server import status


def ids(listing):
    return [page.id for page in listing.pages]


def collection(server, name, *members):
    """A collection ``/NAME.json`` of addresses; those that end in -c.json are collections."""
    items = [
        {"id": each, "type": "Collection" if each.endswith("-c.json") else "Manifest"}
        for each in members
    ]
    server.documents[f"/{name}.json"] = {"type": "Collection", "items": items}
    return f"{server.base}/{name}.json"


@pytest.mark.parametrize("version", [2, 3])
def test_a_page_is_called_by_the_labels_of_manifest_and_canvas(server, version):
    address = server.add_book(
        "b", 2, version, label="Cod. Sang. 857", labels=["fol. 1r", "fol. 1v"]
    )
    listing = list_address(address)
    assert ids(listing) == ["Cod. Sang. 857/fol. 1r", "Cod. Sang. 857/fol. 1v"]
    assert {page.manuscript for page in listing.pages} == {"Cod. Sang. 857"}
    assert listing.left_out == listing.notes == ()


def test_only_the_manifest_is_asked_for(server):
    list_address(server.add_book("b", 50))
    assert server.paths() == ["/b.json"]


def test_what_does_not_go_into_a_name_is_replaced(server):
    address = server.add_book("b", 2, label="Ms. 1/2: #3", labels=["a\\b", "../.."])
    assert ids(list_address(address)) == ["Ms. 1_2_ _3/a_b", "Ms. 1_2_ _3/_"]
    assert list_address(address).pages[0].manuscript == "Ms. 1/2: #3"


def test_a_canvas_without_label_is_called_by_its_number(server):
    assert ids(list_address(server.add_book("b", 2, labels=["", "1r"]))) == ["b/canvas 1", "b/1r"]


def test_labels_that_are_there_twice_are_told_apart(server):
    found = ids(list_address(server.add_book("b", 3, labels=["NP", "1r", "np"])))
    assert found[1] == "b/1r"
    assert found[0].startswith("b/NP~")
    assert len({name.casefold() for name in found}) == 3


def test_names_stay_when_a_canvas_comes_in_between(server):
    address = server.add_book("b", 3, labels=["NP", "NP", "NP"])
    whole = server.documents["/b.json"]["items"]
    server.documents["/b.json"]["items"] = [whole[0], whole[2]]
    before = ids(list_address(address))
    server.documents["/b.json"]["items"] = whole
    after = ids(list_address(address))
    assert before == [after[0], after[2]]


def test_a_long_label_is_cut_and_stays_unlike_others(server):
    first, second = ids(list_address(server.add_book("b", 2, labels=["x" * 300, "x" * 299 + "y"])))
    assert len(first) < 100
    assert first != second


def test_a_canvas_without_picture_is_left_out_by_name(server):
    address = server.add_book("b", 2)
    server.documents["/b.json"]["items"][0]["items"] = []
    listing = list_address(address)
    assert ids(listing) == ["b/2r"]
    assert listing.left_out == (("b/1r", "no picture: the canvas has none"),)


def test_a_canvas_that_is_there_twice_is_a_page_once(server):
    address = server.add_book("b", 2)
    server.documents["/b.json"]["items"][1]["id"] = server.documents["/b.json"]["items"][0]["id"]
    listing = list_address(address)
    assert len(listing.pages) == 1
    assert "listed twice" in listing.left_out[0][1]


def test_further_pictures_of_a_canvas_are_noted(server):
    address = server.add_book("b", 1)
    notes = server.documents["/b.json"]["items"][0]["items"][0]["items"]
    notes.append(notes[0])
    assert list_address(address).notes == (("b/1r", "has 2 pictures, the first is used"),)


def test_a_collection_is_all_pages_of_its_manifests(server):
    inner = collection(server, "in-c", server.add_book("two", 2, version=2))
    address = collection(server, "top", server.add_book("one", 1), inner)
    assert ids(list_address(address)) == ["one/1r", "two/1r", "two/2r"]


def test_collections_that_name_each_other_are_read_once(server):
    first = collection(server, "a-c", f"{server.base}/b-c.json", server.add_book("one", 1))
    collection(server, "b-c", first, f"{server.base}/one.json")
    assert ids(list_address(first)) == ["one/1r"]


def test_the_fragment_of_a_member_is_no_part_of_its_address(server):
    book = server.add_book("one", 1)
    members = [f"{book}{fragment}" for fragment in ("#canvas=1", "#public&canvas=1", "")]
    (page,) = list_address(collection(server, "top", *members)).pages
    assert page.source.manifest == book
    assert open_source(page.source.address) == page.source


def test_manifests_of_one_label_are_told_apart(server):
    books = [server.add_book(name, 1, label="Book") for name in ("one", "two")]
    listing = list_address(collection(server, "top", *books))
    assert len(set(ids(listing))) == 2
    assert len({page.manuscript for page in listing.pages}) == 2
    assert all(name.startswith("Book~") for name in ids(listing))


def test_a_manifest_that_cannot_be_had_is_named_and_the_rest_goes_on(server):
    gone, broken = f"{server.base}/gone.json", f"{server.base}/broken.json"
    server.documents["/broken.json"] = b"<html>"
    down = server.add_book("down", 1)
    server.faults["/down.json"] = status(503)
    members = (gone, "file:///etc/passwd", server.add_book("one", 1), broken, down)
    listing = list_address(collection(server, "top", *members))
    assert ids(listing) == ["one/1r"]
    reasons = dict(listing.left_out)
    assert reasons[gone].startswith("missing")
    assert reasons[broken].startswith("is not JSON")
    assert reasons["file:///etc/passwd"].startswith("refused: only http and https")
    assert reasons[down].startswith("unreachable")


def test_manifests_of_a_collection_are_asked_for_once_a_day(server):
    address = collection(server, "top", server.add_book("one", 1))
    list_address(address)
    list_address(address)
    assert server.paths() == ["/top.json", "/one.json", "/top.json"]


@pytest.mark.parametrize("host", ["localhost", "127.0.0.2"])
def test_a_manifest_in_another_private_place_is_refused(server, host):
    server.add_book("one", 1)
    other = f"http://{host}:{server.server_port}/one.json"
    listing = list_address(collection(server, "top", other))
    assert listing.pages == ()
    assert "has the private address" in dict(listing.left_out)[other]


def test_a_collection_from_a_file_leads_to_public_addresses_only(server, tmp_path):
    path = tmp_path / "c.json"
    members = [{"id": server.add_book("one", 1), "type": "Manifest"}]
    path.write_text(json.dumps({"type": "Collection", "items": members}))
    listing = list_address(path.as_uri())
    assert [reason[:8] for _, reason in listing.left_out] == ["refused:"]


def test_depth_and_number_are_bounded(server, monkeypatch):
    monkeypatch.setattr(canvas_list, "DEPTH", 2)
    monkeypatch.setattr(canvas_list, "MOST_MANIFESTS", 2)
    books = [server.add_book(f"b{number}", 1) for number in range(3)]
    deep = collection(server, "1-c", collection(server, "2-c", collection(server, "3-c", books[0])))
    assert list_address(deep).left_out[0][1] == "not listed: over 2 collections deep"
    many = list_address(collection(server, "many", *books))
    assert len(many.pages) == 2
    assert many.left_out[0][1] == "not listed: over 2 manifests"
    monkeypatch.setattr(canvas_list, "MOST_CANVASES", 1)
    book = list_address(server.add_book("long", 4))
    assert len(book.pages) == 1
    assert len(book.left_out) == 1


def test_an_address_that_is_down_is_listed_as_it_was_last_seen(server):
    address = server.add_book("b", 1)
    before = list_address(address)
    server.faults["/b.json"] = status(503)
    again = list_address(address)
    assert again.pages == before.pages
    assert "listed as it was last seen" in again.notes[0][1]


def test_an_address_that_is_down_and_was_never_seen_is_refused(server):
    address = server.add_book("b", 1)
    server.faults["/b.json"] = status(503)
    with pytest.raises(ImageError, match="unreachable: the service answers 503"):
        list_address(address)


def test_a_list_is_all_pages_of_its_manifests_and_collections(server):
    one, two = server.add_book("one", 1), server.add_book("two", 2, version=2)
    top = collection(server, "top", two, server.add_book("three", 1))
    found = list_all([one, top, two])
    assert ids(found) == ["one/1r", "two/1r", "two/2r", "three/1r"]
    assert found.left_out == ()


def test_what_cannot_be_had_of_a_list_does_not_lose_the_rest(server):
    missing = f"{server.base}/none.json"
    found = list_all([missing, server.add_book("one", 1)])
    assert ids(found) == ["one/1r"]
    assert found.left_out == ((missing, "missing: the service has no such thing"),)


def test_a_list_that_was_seen_today_is_not_asked_for_again(server):
    addresses = [server.add_book(name, 1) for name in ("one", "two")]
    list_all(addresses)
    list_all(addresses)
    assert len(server.asked) == 2


def test_manifests_of_a_list_that_share_a_label_are_told_apart(server):
    addresses = [server.add_book(name, 1, label="Cod. 1") for name in ("one", "two")]
    assert len(set(ids(list_all(addresses)))) == 2


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("https://a/m.json\n# a remark\n\nhttp://b/c\n", ("https://a/m.json", "http://b/c")),
        ("https://a/m.json\nhttps://a/m.json", ("https://a/m.json",)),
        ("page.tif 3\n", None),
        ("https://a/m.json\npage.tif 3\n", None),
        ("", None),
        ("# nothing", None),
    ],
)
def test_a_list_has_an_address_on_every_line(tmp_path, text, found):
    path = tmp_path / "list.txt"
    path.write_text(text)
    assert read_address_list(path) == found

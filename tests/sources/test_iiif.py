"""Canvases as sources: fetched once, found again, reported."""

import hashlib
import json
import pickle

import pytest
from drawing import written

from dgmp.errors import ImageError, Unreachable
from dgmp.pixels import pictures_in, read_image
from dgmp.sources import CanvasSource, is_manifest_file, list_address, open_source, sources_at
from dgmp.sources.manifests import CanvasImage
from sources.iiif_server import content, status


@pytest.fixture(params=[2, 3], ids=["v2", "v3"])
def version(request):
    return request.param


def pages_of(address):
    return list_address(address).pages


def test_a_canvas_gives_its_picture(server, version):
    pages = pages_of(server.add_book("book", version=version))
    assert len(pages) == 3
    pixels = read_image(pages[1].source)
    assert pixels.shape == (300, 420)
    assert abs(pixels.astype(int) - server.pictures["book-1"]).mean() < 4  # JPEG


def test_a_picture_is_fetched_at_the_size_needed(server, version):
    (page,) = pages_of(server.add_book("book", 1, version))
    server.pictures["book-0"] = written(4000, 2000)
    assert read_image(page.source).shape == (1600, 3200)


def test_a_picture_is_fetched_once(server):
    (page,) = pages_of(server.add_book("book", 1))
    for _ in range(2):
        read_image(page.source)
        assert page.content_hash
    assert len(server.asked) == 3  # manifest, info.json, picture


def test_a_canvas_is_found_again_by_its_address(server):
    address = server.add_book("book")
    for page in pages_of(address):
        again = open_source(page.source.address)
        assert again == page.source
        assert again.stamp() == page.source.stamp()
        assert again.size == page.size == (420, 300)
        assert again.content_hash == page.source.content_hash
    assert sources_at(address)[0] == pages_of(address)[0].source


def test_a_canvas_travels_to_other_processes(server):
    page = pages_of(server.add_book("book", 1))[0]
    sent = pickle.loads(pickle.dumps(page.source))
    assert sent == page.source
    assert sent.image == page.source.image


def test_the_content_hash_is_that_of_the_bytes(server):
    (page,) = pages_of(server.add_book("book", 1))
    with page.source.open() as file:
        assert page.content_hash == hashlib.sha256(file.read()).hexdigest()


def test_stamp_and_size_ask_for_nothing(server):
    address = server.add_book("book")
    for page in pages_of(address):
        assert page.stamp()
        assert pictures_in(page.source)[0].size == (420, 300)
    assert server.paths() == ["/book.json"]


def test_the_stamp_follows_the_manifest(server):
    address = server.add_book("book", 1)
    before = pages_of(address)[0].stamp()
    body = server.documents["/book.json"]["items"][0]["items"][0]["items"][0]["body"]
    body["service"][0]["id"] += "-better"
    assert pages_of(address)[0].stamp() != before


def test_a_canvas_that_left_its_manifest_is_gone(server):
    address = server.add_book("book", 2)
    first, second = pages_of(address)
    del server.documents["/book.json"]["items"][1]
    pages_of(address)
    assert open_source(first.source.address).stamp()
    assert open_source(second.source.address).stamp() == ""
    with pytest.raises(ImageError, match="missing: the manifest has no such canvas"):
        open_source(second.source.address).open()


def test_a_canvas_whose_manifest_was_never_seen_is_not_gone(cache):
    assert open_source("https://a.example/m.json#canvas=1").stamp()


def test_a_plain_picture_without_a_service_is_fetched(server):
    address = server.add_book("book", 1)
    body = server.documents["/book.json"]["items"][0]["items"][0]["items"][0]["body"]
    del body["service"]
    assert read_image(pages_of(address)[0].source).shape == (300, 420)


BROKEN = {
    "gone": (status(404), "missing: "),
    "forbidden": (status(403), "may not be read"),
    "web page": (content(b"<html>sorry"), "not an image"),
    "noise": (content(b"\xff\xd8\xff\xe0" + bytes(500)), "not an image|broken"),
    "nothing": (content(b""), "not an image"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_picture_that_cannot_be_had_says_why_and_is_fetched_the_next_time(server, fault):
    answer, reason = BROKEN[fault]
    (page,) = pages_of(server.add_book("book", 1))
    path = "/image3/book-0/full/max/0/default.jpg"
    server.faults[path] = answer
    with pytest.raises(ImageError, match=reason):
        read_image(page.source)
    del server.faults[path]
    assert read_image(page.source).shape == (300, 420)


def test_half_a_picture_is_not_kept(server):
    (page,) = pages_of(server.add_book("book", 1))
    with page.source.open() as file:
        whole = file.read()
    other = open_source(pages_of(server.add_book("other", 1))[0].source.address)
    server.faults["/image3/other-0/full/max/0/default.jpg"] = [content(whole[: len(whole) // 2])]
    with pytest.raises(ImageError, match="broken: "):
        read_image(other)
    assert read_image(other).shape == (300, 420)


@pytest.mark.parametrize("info", [b"[]", b"{", b"{}", b'{"width": "x"}'])
def test_a_service_that_describes_itself_wrongly_says_so(server, info):
    (page,) = pages_of(server.add_book("book", 1))
    server.faults["/image3/book-0/info.json"] = content(info)
    with pytest.raises(ImageError, match=r"is not JSON|broken: the info"):
        read_image(page.source)


def test_a_service_that_is_down_is_unreachable(server):
    (page,) = pages_of(server.add_book("book", 1))
    server.faults["/image3/book-0/info.json"] = status(503)
    with pytest.raises(Unreachable, match="the service answers 503"):
        read_image(page.source)


def test_pictures_of_a_manifest_from_a_file_are_not_fetched_in_private_networks(server, tmp_path):
    server.add_book("book", 1)
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(server.documents["/book.json"]))
    (page,) = pages_of(path.as_uri())
    with pytest.raises(ImageError, match=r"refused: 127.0.0.1 has the private address"):
        read_image(page.source)
    assert server.asked == []


def test_a_canvas_of_a_public_manifest_stays_public(cache):
    source = CanvasSource("https://a.example/m.json", "c", public=True)
    assert source.address == "https://a.example/m.json#public&canvas=c"
    assert open_source(source.address) == source


def test_a_manifest_file_that_is_gone_takes_its_canvases_along(tmp_path, server):
    server.add_book("book", 1)
    path = tmp_path / "a manifest #1.json"
    path.write_text(json.dumps(server.documents["/book.json"]))
    (page,) = pages_of(path.as_uri())
    assert open_source(page.source.address).stamp() == page.stamp()
    path.unlink()
    assert open_source(page.source.address).stamp() == ""


FILES = {
    "m.json": ('{"type": "Manifest", "items": []}', True),
    "c.JSON": ('{"@type": "sc:Collection"}', True),
    "other.json": ('{"format": "hands"}', False),
    "broken.json": ("{", False),
    "m.txt": ('{"type": "Manifest", "items": []}', False),
}


@pytest.mark.parametrize("name", FILES)
def test_a_manifest_file_is_known_by_its_content(tmp_path, name):
    text, known = FILES[name]
    (tmp_path / name).write_text(text)
    assert is_manifest_file(tmp_path / name) is known


def test_a_document_nested_without_end_is_broken(server):
    server.documents["/deep.json"] = b'{"type":"Collection","items":[' * 100_000
    with pytest.raises(ImageError, match=r"is not JSON|nested"):
        list_address(f"{server.base}/deep.json")


@pytest.mark.parametrize(
    ("image", "turn", "address"),
    [
        (CanvasImage(service="https://a.org/i"), 0, "https://a.org/i/full/800,/0/default.jpg"),
        (CanvasImage(service="https://a.org/i"), 3, "https://a.org/i/full/800,/270/default.jpg"),
        (CanvasImage(plain="https://a.org/a.png"), 0, "https://a.org/a.png"),
    ],
)
def test_a_browser_finds_the_picture_of_a_canvas(image, turn, address):
    source = CanvasSource("https://a.org/m.json", "https://a.org/c", image=image)
    assert source.shown(800, turn) == address

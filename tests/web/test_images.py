"""The IIIF Image API: what its addresses give, checked against the pixels of the scan."""

import io

import numpy as np
import pytest
from PIL import Image
from starlette.applications import Starlette
from starlette.testclient import TestClient

from dgmp.errors import CatalogueError
from dgmp.records import Page
from dgmp.sources import FileSource
from dgmp.web import scans as scans_file
from dgmp.web.images import MOST_PIXELS, image_routes
from dgmp.web.scans import Scans, reduction

WIDTH, HEIGHT = 700, 500
ID = "a folder/page 1.png#frame=0"
QUOTED = "a%20folder%2Fpage%201.png%23frame%3D0"
SERVICE = f"/iiif/{QUOTED}"


def scan():
    """A picture whose every place has its own colour, changing slowly."""
    rows, columns = np.mgrid[:HEIGHT, :WIDTH]
    blue = np.full_like(rows, 40)
    return np.stack([columns * 255 // WIDTH, rows * 255 // HEIGHT, blue], axis=2).astype(np.uint8)


@pytest.fixture
def pages(tmp_path):
    Image.fromarray(scan()).save(tmp_path / "scan.png")
    Image.fromarray(np.rot90(scan())).save(tmp_path / "lying.png")
    return {
        ID: Page(ID, FileSource(tmp_path / "scan.png"), size=(WIDTH, HEIGHT)),
        "lying": Page("lying", FileSource(tmp_path / "lying.png"), turn=1),
        "gone": Page("gone", FileSource(tmp_path / "no file")),
        "broken": Page("broken", FileSource(tmp_path / "broken.png"), size=(10, 10)),
    }


@pytest.fixture
def decoded():
    scans = Scans()
    yield scans
    scans.close()


@pytest.fixture
def client(pages, decoded, tmp_path):
    (tmp_path / "broken.png").write_bytes(b"\x89PNG nothing more")

    def find(identifier):
        if identifier not in pages:
            raise CatalogueError(f"holds no page {identifier!r}")
        return pages[identifier]

    return TestClient(Starlette(routes=image_routes(find, decoded)), "http://127.0.0.1:8000")


def picture(client, rest, service=SERVICE):
    answer = client.get(f"{service}/{rest}")
    assert answer.status_code == 200, answer.text
    return np.asarray(Image.open(io.BytesIO(answer.content)))


def close(found, expected):
    return found.shape == expected.shape and np.abs(found.astype(int) - expected).mean() < 2


def test_info_says_what_a_viewer_needs(client):
    about = client.get(f"{SERVICE}/info.json").json()
    assert about["id"] == f"http://127.0.0.1:8000{SERVICE}"
    assert (about["type"], about["protocol"]) == ("ImageService3", "http://iiif.io/api/image")
    assert (about["width"], about["height"]) == (WIDTH, HEIGHT)
    assert about["tiles"] == [{"width": 512, "scaleFactors": [1, 2]}]
    assert about["sizes"][-1] == {"width": WIDTH, "height": HEIGHT}


def test_every_size_that_info_offers_can_be_had(client):
    for size in client.get(f"{SERVICE}/info.json").json()["sizes"]:
        found = picture(client, f"full/{size['width']},{size['height']}/0/default.png")
        assert found.shape[:2] == (size["height"], size["width"])


def test_linked_data_is_given_to_who_asks_for_it(client):
    answer = client.get(f"{SERVICE}/info.json", headers={"Accept": "application/ld+json"})
    assert answer.headers["Content-Type"].startswith("application/ld+json")


def test_the_address_of_the_service_leads_to_its_info(client):
    answer = client.get(SERVICE, follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["Location"].endswith(f"{QUOTED}/info.json")


def test_the_whole_scan_is_as_it_is(client):
    np.testing.assert_array_equal(picture(client, "full/max/0/default.png"), scan())


@pytest.mark.parametrize(
    ("region", "rows", "columns"),
    [
        ("0,0,50,40", slice(0, 40), slice(0, 50)),
        ("600,450,50,40", slice(450, 490), slice(600, 650)),
        ("600,450,512,512", slice(450, 500), slice(600, 700)),  # cut at the edge
        ("pct:10,20,30,40", slice(100, 300), slice(70, 280)),
        ("pct:50,50,50.5,60", slice(250, 500), slice(350, 700)),
        ("square", slice(0, 500), slice(100, 600)),
    ],
)
def test_a_region_is_that_part_of_the_scan(client, region, rows, columns):
    found = picture(client, f"{region}/max/0/default.png")
    np.testing.assert_array_equal(found, scan()[rows, columns])


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("350,", (350, 250)),
        (",250", (350, 250)),
        ("100,400", (100, 400)),
        ("!100,400", (100, 71)),
        ("!7000,7000", (700, 500)),
        ("pct:50", (350, 250)),
        ("^1400,", (1400, 1000)),
        ("^pct:150", (1050, 750)),
        ("^!1400,9999", (1400, 1000)),
        ("1,", (1, 1)),
    ],
)
def test_a_size_is_the_size_of_the_answer(client, size, expected):
    found = picture(client, f"full/{size}/0/default.jpg")
    assert found.shape[1::-1] == expected


def test_a_larger_answer_than_the_limit_is_made_smaller_only_if_max_is_asked(client):
    assert picture(client, "full/^max/0/default.jpg").shape[:2] <= (5000, 6000)
    assert client.get(f"{SERVICE}/full/^9000,9000/0/default.jpg").status_code == 400
    assert MOST_PIXELS < 9000 * 9000


def test_a_small_answer_shows_the_same(client):
    small = picture(client, "full/70,/0/default.png")
    expected = np.asarray(Image.fromarray(scan()).resize((70, 50), Image.Resampling.BOX))
    assert close(small, expected)


@pytest.mark.parametrize("turns", range(4))
def test_rotation_is_clockwise(client, turns):
    found = picture(client, f"full/max/{90 * turns}/default.png")
    np.testing.assert_array_equal(found, np.rot90(scan(), -turns))


def test_mirroring_comes_before_rotation(client):
    found = picture(client, "full/max/!90/default.png")
    np.testing.assert_array_equal(found, np.rot90(scan()[:, ::-1], -1))


def test_gray_and_bitonal_have_no_colour(client):
    assert picture(client, "full/max/0/gray.png").ndim == 2
    assert set(np.unique(picture(client, "full/max/0/bitonal.png"))) == {0, 255}


def test_a_page_that_lies_is_shown_upright(client):
    np.testing.assert_array_equal(picture(client, "full/max/0/default.png", "/iiif/lying"), scan())
    about = client.get("/iiif/lying/info.json").json()
    assert (about["width"], about["height"]) == (WIDTH, HEIGHT)


def test_an_id_with_slashes_is_also_found_unquoted(client):
    path = "/iiif/a%20folder/page%201.png%23frame=0"
    assert picture(client, "full/10,/0/default.jpg", path).shape[1] == 10


@pytest.mark.parametrize(
    ("rest", "status"),
    [
        ("full/max/0/default", 400),
        ("full/max/0/default.exe", 400),
        ("full/max/0/default.tif", 501),
        ("full/max/0/colour.jpg", 400),
        ("full/max/45/default.jpg", 501),
        ("full/max/361/default.jpg", 400),
        ("full/max/-90/default.jpg", 400),
        ("full/max/nan/default.jpg", 400),
        ("full/701,/0/default.jpg", 400),
        ("full/0,/0/default.jpg", 400),
        ("full/,/0/default.jpg", 400),
        ("full/pct:0/0/default.jpg", 400),
        ("full/full/0/default.jpg", 400),
        ("0,0,0,10/max/0/default.jpg", 400),
        ("700,0,10,10/max/0/default.jpg", 400),
        ("-1,0,10,10/max/0/default.jpg", 400),
        ("1,2,3/max/0/default.jpg", 400),
        ("pct:0,0,1e9,1/max/0/default.jpg", 400),
        ("٣,٣,٣,٣/max/0/default.jpg", 400),
        ("full/99999999999999999999,/0/default.jpg", 400),
    ],
)
def test_what_the_api_does_not_know_is_refused(client, rest, status):
    assert client.get(f"{SERVICE}/{rest}").status_code == status


@pytest.mark.parametrize(
    "path",
    [
        "/iiif/gone/info.json",
        "/iiif/gone/full/max/0/default.jpg",
        "/iiif/broken/full/max/0/default.jpg",
        "/iiif/nobody/info.json",
        "/iiif/..%2F..%2Fetc%2Fpasswd/info.json",
        "/iiif/../../etc/passwd/full/max/0/default.jpg",
        "/iiif/%00/info.json",
        "/iiif/%ff%fe/info.json",
        "/iiif//info.json",
        "/iiif/a/b",
    ],
)
def test_what_is_not_there_is_404(client, path):
    assert client.get(path).status_code == 404


def test_a_viewer_that_knows_an_image_is_told_so(client):
    first = client.get(f"{SERVICE}/full/max/0/default.jpg")
    again = client.get(
        f"{SERVICE}/full/max/0/default.jpg", headers={"If-None-Match": first.headers["ETag"]}
    )
    assert (again.status_code, again.content) == (304, b"")


def test_a_scan_that_changed_is_shown_anew(client, tmp_path):
    first = client.get(f"{SERVICE}/full/9,/0/default.png")
    Image.fromarray(255 - scan()).save(tmp_path / "scan.png")
    second = client.get(f"{SERVICE}/full/9,/0/default.png")
    assert first.headers["ETag"] != second.headers["ETag"]
    assert first.content != second.content


def test_a_scan_is_decoded_once(client, monkeypatch):
    calls = []
    read = scans_file.read_colour
    monkeypatch.setattr(scans_file, "read_colour", lambda *a, **k: calls.append(1) or read(*a, **k))
    for left in range(0, 500, 100):
        picture(client, f"{left},0,100,100/max/0/default.jpg")
    assert len(calls) == 1


@pytest.mark.parametrize("scale", [1, 2, 3.9, 8, 100])
@pytest.mark.parametrize("size", [(5000, 6000), (9000, 9000), (20_000, 20_000)])
def test_what_is_decoded_fits_and_is_fine_enough_where_it_can(size, scale):
    reduce = reduction(size, scale)
    assert 3 * size[0] * size[1] / reduce**2 <= scans_file.LARGEST
    assert reduce <= scale or 3 * size[0] * size[1] / (reduce / 2) ** 2 > scans_file.LARGEST


def test_no_more_is_kept_than_the_bound(client, pages, decoded, monkeypatch):
    monkeypatch.setattr(scans_file, "KEPT", 2 * WIDTH * HEIGHT * 3)
    for number in range(4):
        pages[f"p{number}"] = Page(f"p{number}", pages[ID].source, size=(WIDTH, HEIGHT))
        picture(client, "full/10,/0/default.jpg", f"/iiif/p{number}")
    assert 0 < decoded.kept <= 2 * WIDTH * HEIGHT * 3

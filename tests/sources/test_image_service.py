"""The size that is asked for, and its address."""

import pytest

from dgmp.sources.image_service import picture_address, wanted_size

STANFORD = "http://library.stanford.edu/iiif/image-api/1.1"
V1 = {"@context": f"{STANFORD}/context.json", "profile": f"{STANFORD}/compliance.html#level1"}
V2 = {"@context": "http://iiif.io/api/image/2/context.json",
      "profile": ["http://iiif.io/api/image/2/level2.json"]}  # fmt: skip
V3 = {"@context": "http://iiif.io/api/image/3/context.json", "profile": "level1"}
LARGE = {"width": 6400, "height": 4000}
SMALL = {"width": 640, "height": 400}
SIZES = {"sizes": [SMALL, {"width": 3000, "height": 1875}, LARGE]}
LEVEL_0 = {"profile": ["http://iiif.io/api/image/2/level0.json"]}

ADDRESSES = {
    "large 2": (V2 | LARGE, "full/3200,/0/default.jpg"),
    "large 3": (V3 | LARGE, "full/3200,2000/0/default.jpg"),
    "large 1": (V1 | LARGE, "full/3200,/0/native.jpg"),
    "small 2": (V2 | SMALL, "full/full/0/default.jpg"),
    "small 3": (V3 | SMALL, "full/max/0/default.jpg"),
    "high": (V2 | {"width": 4000, "height": 6400}, "full/2000,/0/default.jpg"),
    "at most so wide": (V3 | LARGE | {"maxWidth": 1600}, "full/1600,1000/0/default.jpg"),
    "at most so high": (
        V3 | LARGE | {"maxWidth": 9999, "maxHeight": 1000},
        "full/1600,1000/0/default.jpg",
    ),
    "at most so many pixels": (V3 | LARGE | {"maxArea": 640_000}, "full/1011,632/0/default.jpg"),
    "bounded in the profile": (
        V2 | LARGE | {"profile": ["http://iiif.io/api/image/2/level1.json", {"maxWidth": 800}]},
        "full/800,/0/default.jpg",
    ),
    "level 0": (V2 | LARGE | SIZES | LEVEL_0, "full/3000,/0/default.jpg"),
    "level 0 of version 3": (
        V3 | LARGE | SIZES | {"profile": "level0"},
        "full/3000,1875/0/default.jpg",
    ),
    "level 0 without sizes": (V2 | LARGE | LEVEL_0, "full/full/0/default.jpg"),
    "level 0 with large sizes": (
        V2 | {"width": 9000, "height": 9000, "sizes": [LARGE]} | LEVEL_0,
        "full/6400,/0/default.jpg",
    ),
    "level 0 that scales": (
        V3 | LARGE | {"profile": "level0", "extraFeatures": ["sizeByW"]},
        "full/3200,2000/0/default.jpg",
    ),
    "no profile": (LARGE, "full/full/0/default.jpg"),
}  # fmt: skip


@pytest.mark.parametrize("name", ADDRESSES)
def test_the_picture_is_asked_for_at_the_size_needed(name):
    info, end = ADDRESSES[name]
    assert picture_address("https://a/i", info) == f"https://a/i/{end}"


@pytest.mark.parametrize("size", [(6400, 4000), (100, 50), (99999, 1), (3200, 3200)])
def test_the_longer_side_is_at_most_3200_and_the_shape_stays(size):
    width, height = wanted_size(size)
    assert max(width, height) == min(max(size), 3200)
    assert min(width, height) == max(round(min(size) * max(width, height) / max(size)), 1)


@pytest.mark.parametrize(
    "info", [None, [], {}, {"width": "7", "height": 3}, {"width": 0, "height": 0}]
)
def test_an_info_without_a_size_is_refused(info):
    with pytest.raises(ValueError, match=r"info\.json of the service"):
        picture_address("https://a/i", info)

"""Hands as JSON."""

import json

from dgmp.exports import hand_to_json, write_hands

from .conftest import NAMES


def test_json_has_an_object_for_every_hand(going, tmp_path):
    stored = json.loads(write_hands(going, tmp_path / "hands.json").read_text())
    assert (stored["format"], stored["version"]) == ("dgmp-hands", 1)
    assert stored["hands"] == [hand_to_json(hand, going.paths) for hand in going.hands]


def test_a_hand_as_json_names_its_pages_with_their_fits_and_paths(going):
    hand = hand_to_json(going.hands[0], going.paths)
    pages = hand.pop("pages")
    assert hand == {
        "hand": 1,
        "name": "Märta & Co",
        "note": "+ left",
        "confidence": 0.62,
        "decided": False,
        "nearest": 2,
    }
    assert [(page["page"], page["fit"]) for page in pages] == [
        (NAMES[1], 0.91), (NAMES[0], 0.75), (NAMES[3], 0.5)
    ]  # fmt: skip
    assert all(page["path"] == going.paths[page["page"]] for page in pages)

"""Manifests and collections of both versions as records."""

import pytest

from dgmp.sources.manifests import CanvasImage, Collection, Reference, label_text, read_document

V2_CONTEXT = "http://iiif.io/api/image/2/context.json"


def book(*bodies, **canvas):
    """A manifest of version 3 with one canvas that has these bodies."""
    notes = [{"type": "Annotation", "motivation": "painting", "body": body} for body in bodies]
    page = {"type": "Canvas", "id": "c", "items": [{"items": notes}], **canvas}
    return {"type": "Manifest", "label": {"en": ["Book"]}, "items": [page]}


def old_book(*resources, **canvas):
    """The same in version 2."""
    images = [{"resource": each} for each in resources]
    page = {"@type": "sc:Canvas", "@id": "c", "images": images, **canvas}
    return {"@type": "sc:Manifest", "label": "Book", "sequences": [{"canvases": [page]}]}


def image(values):
    (canvas,) = read_document(values).canvases
    return canvas.image


LABELS = {
    "plain": ("fol. 1r", "fol. 1r"),
    "spaces": ("  fol.\n 1r ", "fol. 1r"),
    "number": (7, "7"),
    "none": (None, ""),
    "value": ({"@value": "1r", "@language": "la"}, "1r"),
    "values": ([{"@value": "eins", "@language": "de"}, {"@value": "one"}], "eins"),
    "list": (["Ms.", "857"], "Ms. 857"),
    "one language": ({"de": ["Buch"]}, "Buch"),
    "English first": ({"de": ["Buch"], "en": ["Book"]}, "Book"),
    "no language first": ({"en": ["Book"], "none": ["Cod. 1"]}, "Cod. 1"),
    "empty": ({}, ""),
    "nonsense": ({"en": [{"x": 1}, None]}, ""),
}


@pytest.mark.parametrize("name", LABELS)
def test_a_label_is_one_line(name):
    label, text = LABELS[name]
    assert label_text(label) == text


SERVICE_2 = {"@context": V2_CONTEXT, "@id": "https://a/i/", "profile": []}
SERVICE_3 = {"id": "https://a/i", "type": "ImageService3", "profile": "level1"}
BODY = {"type": "Image", "id": "https://a/i.jpg", "width": 300, "height": 200}
IMAGES = {
    "service 2": (old_book({"service": SERVICE_2}), CanvasImage("https://a/i")),
    "service 3": (book({"service": [SERVICE_3]}), CanvasImage("https://a/i")),
    "service 2 in 3": (
        book(BODY | {"service": [{"@id": "https://a/i", "@type": "ImageService2"}]}),
        CanvasImage("https://a/i", size=(300, 200)),
    ),
    "service by profile": (
        old_book({"service": {"@id": "https://a/i", "profile": f"{V2_CONTEXT}#level1"}}),
        CanvasImage("https://a/i"),
    ),
    "another service": (
        book(BODY | {"service": [{"id": "https://a/login", "type": "AuthCookieService1"}]}),
        CanvasImage(plain="https://a/i.jpg", size=(300, 200)),
    ),
    "plain": (book(BODY), CanvasImage(plain="https://a/i.jpg", size=(300, 200))),
    "size of the canvas": (
        book({"type": "Image", "id": "https://a/i.jpg"}, width=30, height=20),
        CanvasImage(plain="https://a/i.jpg", size=(30, 20)),
    ),
    "choice": (
        book({"type": "Choice", "items": [BODY, {"type": "Image", "id": "https://a/uv.jpg"}]}),
        CanvasImage(plain="https://a/i.jpg", size=(300, 200)),
    ),
    "old choice": (
        old_book({"@type": "oa:Choice", "default": {"@id": "https://a/i.jpg"}, "item": []}),
        CanvasImage(plain="https://a/i.jpg"),
    ),
    "part": (
        old_book({"@type": "oa:SpecificResource", "full": {"@id": "https://a/i.jpg"}}),
        CanvasImage(plain="https://a/i.jpg"),
    ),
    "sound": (book({"type": "Sound", "id": "https://a/i.mp3"}), None),
    "nothing": (book(), None),
    "comment": (
        {"type": "Manifest", "items": [{"type": "Canvas", "items": [{"items": [
            {"motivation": "commenting", "body": BODY}]}]}]},
        None,
    ),
    "an address in place of pages": (book(items="https://a/pages"), None),
}  # fmt: skip


@pytest.mark.parametrize("name", IMAGES)
def test_the_picture_of_a_canvas_is_found(name):
    values, found = IMAGES[name]
    assert image(values) == found


def test_of_several_pictures_the_first_counts():
    (canvas,) = read_document(book(BODY, {"type": "Image", "id": "https://a/2.jpg"})).canvases
    assert canvas.image.plain == "https://a/i.jpg"
    assert canvas.images == 2


def test_a_canvas_without_id_has_its_number():
    values = book(BODY)
    del values["items"][0]["id"]
    assert read_document(values).canvases[0].id == "1"


def test_a_collection_of_version_3_names_its_members():
    inner = {"id": "https://a/in", "type": "Collection", "items": [
        {"id": "https://a/2", "type": "Manifest"}]}  # fmt: skip
    members = [
        {"id": "https://a/1", "type": "Manifest"},
        {"id": "https://a/c", "type": "Collection"},
        inner,
        {"id": "https://a/x", "type": "Range"},
    ]
    assert read_document({"type": "Collection", "items": members}) == Collection(
        (
            Reference("https://a/1"),
            Reference("https://a/c"),
            Reference("https://a/in", Collection((Reference("https://a/2"),))),
        )
    )


def test_a_collection_of_version_2_names_its_members():
    values = {
        "@type": "sc:Collection",
        "manifests": [{"@id": "https://a/1", "@type": "sc:Manifest"}],
        "collections": [{"@id": "https://a/c", "@type": "sc:Collection"}],
        "members": [{"@id": "https://a/2", "@type": "sc:Manifest"}],
    }
    found = [member.address for member in read_document(values).members]
    assert found == ["https://a/c", "https://a/1", "https://a/2"]


def test_a_collection_in_parts_is_not_read():
    with pytest.raises(ValueError, match="several parts"):
        read_document({"@type": "sc:Collection", "first": "https://a/c?page=1"})


OTHERS = [None, 7, "x", [], {}, {"type": "Canvas"}, {"type": ["Manifest"]}, {"@type": 3}]


@pytest.mark.parametrize("values", OTHERS, ids=str)
def test_another_document_is_refused(values):
    with pytest.raises(ValueError, match="a manifest or a collection is needed"):
        read_document(values)


WRONG = [None, 7, "x", [], [None], {}, {"@id": 3}, [[]], [{"items": [{"items": 7}]}]]


@pytest.mark.parametrize("wrong", WRONG, ids=str)
@pytest.mark.parametrize("key", ["items", "sequences", "label"])
def test_nonsense_inside_a_manifest_does_no_harm(key, wrong):
    assert all(
        each.image is None for each in read_document({"type": "Manifest", key: wrong}).canvases
    )

"""IIIF manifests and collections as plain records: Presentation 2 and 3, nothing fetched.

Manifests in the wild leave out and misplace much. What can be understood is taken, the rest is as
if it were not there; a document that is neither manifest nor collection raises ValueError.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_IMAGE_API = re.compile(r"iiif\.io/api/image|stanford\.edu/iiif/image-api|^ImageService\d")
_LANGUAGES = ("none", "@none", "en")  # of a label in several, whichever comes first


@dataclass(frozen=True)
class CanvasImage:
    """The picture on a canvas: the base address of an image service, or a plain address."""

    service: str = ""
    plain: str = ""
    size: tuple[int, int] | None = None  # of the whole picture, as the manifest has it


@dataclass(frozen=True)
class Canvas:
    """A page of a manifest."""

    id: str
    label: str  # empty: it has none
    image: CanvasImage | None
    images: int  # how many there are; the first one counts


@dataclass(frozen=True)
class Manifest:
    """A book: its label and its pages in order."""

    label: str
    canvases: tuple[Canvas, ...]


@dataclass(frozen=True)
class Reference:
    """A manifest or collection that a collection names."""

    address: str
    inside: Collection | None = None  # a collection that is written out there


@dataclass(frozen=True)
class Collection:
    """Manifests and further collections."""

    members: tuple[Reference, ...]


def read_document(values: Any) -> Manifest | Collection:
    """The manifest or collection of a JSON document."""
    kind = _kind(values)
    if kind == "Manifest":
        return _manifest(values)
    if kind == "Collection":
        return _collection(values)
    what = f"a IIIF {kind}" if kind else "no IIIF document"
    raise ValueError(f"is {what}; a manifest or a collection is needed")


def label_text(label: Any) -> str:
    """A label in one line: plain, with a language, or in several languages."""
    if isinstance(label, dict) and "@value" not in label:
        key = next((name for name in _LANGUAGES if label.get(name)), next(iter(label), ""))
        label = label.get(key)
    parts = [part.get("@value") if isinstance(part, dict) else part for part in _many(label)]
    texts = [str(part) for part in parts if isinstance(part, str | int | float)]
    if isinstance(label, list) and any(isinstance(part, dict) for part in label):
        texts = texts[:1]  # the same in several languages
    return " ".join(" ".join(texts).split())


def _manifest(values: dict[str, Any]) -> Manifest:
    first: Any = next(iter(_many(values.get("sequences"))), {})
    listed = _many(first.get("canvases") if isinstance(first, dict) else None)
    listed = listed or _many(values.get("items"))
    canvases = [
        _canvas(each, number)
        for number, each in enumerate(listed, 1)
        if isinstance(each, dict) and _kind(each) in ("Canvas", "")
    ]
    return Manifest(label_text(values.get("label")), tuple(canvases))


def _canvas(values: dict[str, Any], number: int) -> Canvas:
    resources = [*_painted_2(values), *_painted_3(values)]
    found = [image for image in map(_image, resources) if image is not None]
    image = found[0] if found else None
    if image is not None and image.size is None:
        image = CanvasImage(image.service, image.plain, size_of(values))
    return Canvas(_id(values) or str(number), label_text(values.get("label")), image, len(found))


def _painted_2(values: dict[str, Any]) -> list[dict[str, Any]]:
    notes = [each for each in _many(values.get("images")) if isinstance(each, dict)]
    return [_chosen(each.get("resource")) for each in notes]


def _painted_3(values: dict[str, Any]) -> list[dict[str, Any]]:
    pages = [each for each in _many(values.get("items")) if isinstance(each, dict)]
    notes = [note for page in pages for note in _many(page.get("items")) if isinstance(note, dict)]
    painting = [each for each in notes if "painting" in _many(each.get("motivation"))]
    return [_chosen(body) for each in painting for body in _many(each.get("body"))[:1]]


def _chosen(resource: Any) -> dict[str, Any]:
    """The image of a resource: the first choice, the whole of a part."""
    for _ in range(4):
        if not isinstance(resource, dict):
            return {}
        kind = _kind(resource)
        if kind == "Choice":
            inner = resource.get("default") or next(iter(_many(resource.get("items"))), None)
        elif kind == "SpecificResource":
            inner = resource.get("full") or resource.get("source")
        else:
            return resource
        resource = inner
    return {}


def _image(resource: dict[str, Any]) -> CanvasImage | None:
    if _kind(resource) not in ("Image", ""):
        return None
    for service in _many(resource.get("service")):
        if isinstance(service, dict) and _is_image_service(service) and _id(service):
            return CanvasImage(_id(service).rstrip("/"), size=size_of(service) or size_of(resource))
    plain = _id(resource)
    return CanvasImage(plain=plain, size=size_of(resource)) if plain else None


def _is_image_service(service: dict[str, Any]) -> bool:
    said = [*_many(service.get("@context")), *_many(service.get("profile"))]
    said += [service.get("type"), service.get("@type")]
    return any(isinstance(each, str) and _IMAGE_API.search(each) for each in said)


def _collection(values: dict[str, Any]) -> Collection:
    members = [
        each
        for name in ("collections", "manifests", "members", "items")
        for each in _many(values.get(name))
        if isinstance(each, dict)
    ]
    if not members and values.get("first"):
        raise ValueError("is a collection in several parts, which are not read here")
    return Collection(
        tuple(_reference(each) for each in members if _kind(each) in ("Manifest", "Collection"))
    )


def _reference(values: dict[str, Any]) -> Reference:
    inside = _kind(values) == "Collection" and any(
        values.get(name) for name in ("collections", "manifests", "members", "items")
    )
    return Reference(_id(values), _collection(values) if inside else None)


def _kind(values: Any) -> str:
    if not isinstance(values, dict):
        return ""
    kind = values.get("type") or values.get("@type")
    return kind.rpartition(":")[2] if isinstance(kind, str) else ""


def _id(values: dict[str, Any]) -> str:
    found = values.get("id") or values.get("@id")
    return found if isinstance(found, str) else ""


def size_of(values: Any) -> tuple[int, int] | None:
    """Width and height in pixels, where both are there."""
    if not isinstance(values, dict):
        return None
    width, height = values.get("width"), values.get("height")
    if isinstance(width, int) and isinstance(height, int) and width > 0 and height > 0:
        return width, height
    return None


def _many(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]

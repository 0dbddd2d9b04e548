"""Text regions and line distance from an ALTO or PAGE file that stands beside a picture.

kraken and eScriptorium put ``scan.xml`` next to ``scan.jpg``, Transkribus puts it into ``page/``
or ``alto/``. Only text regions count; pictures, tables and separators do not. A block without a
shape of its own (eScriptorium's dummy block) is as large as its lines. Coordinates are brought to
the pixels of the picture by the page size that the file states, whatever unit it is in.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import median
from xml.etree import ElementTree

from ..errors import CorpusError
from ..records import Polygon, Region
from ..storage import AnyPath

SUBFOLDERS = ("page", "alto")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_OVERLAP = 0.3  # of the shorter line: less, and two lines belong to different columns


@dataclass(frozen=True)
class Line:
    """A line of text: where its baseline lies, and its outline where the file has one."""

    left: float
    right: float
    height: float  # of the baseline, from above
    outline: Polygon


@dataclass(frozen=True)
class Layout:
    """The text regions of a picture, and the pixels between its baselines where two follow."""

    regions: tuple[Region, ...]
    line_distance: float | None
    lines: tuple[Line, ...] = ()


def layout_file(picture: AnyPath, files: Iterable[AnyPath] | None = None) -> AnyPath | None:
    """The ALTO or PAGE file of a picture; ``files`` saves asking the disk again and again."""
    names = (f"{picture.stem}.xml", f"{picture.name}.xml", f"{picture.stem}.alto.xml",
             f"{picture.stem}.page.xml")  # fmt: skip
    folders = (picture.parent, *(picture.parent / name for name in SUBFOLDERS))
    for candidate in (folder / name for folder in folders for name in names):
        if candidate.is_file() if files is None else candidate in files:
            return candidate
    return None


@dataclass(frozen=True)
class LayoutFile:
    """An ALTO or PAGE file that was read, and what brings it to the pixels of its picture."""

    path: AnyPath
    root: ElementTree.Element
    kind: str  # "alto" or "PcGts"
    zoom: tuple[float, float]

    def elements(self, name: str) -> Iterator[ElementTree.Element]:
        """All elements of that name."""
        return (element for element in self.root.iter() if _name(element) == name)

    def outline(self, element: ElementTree.Element) -> Polygon:
        """The outline of an element in pixels of the picture; empty where it has none."""
        outline = _alto_outline if self.kind == "alto" else _page_outline
        try:
            return _zoomed(outline(element), self.zoom)
        except ValueError as error:
            raise CorpusError(f"{self.path}: broken coordinates ({error})") from error


def open_layout(path: AnyPath, size: tuple[int, int]) -> LayoutFile:
    """Open the ALTO or PAGE file of a picture of ``size`` (width, height)."""
    try:
        with path.open("rb") as file:
            root = ElementTree.parse(file).getroot()
    except (ElementTree.ParseError, UnicodeDecodeError, LookupError, ValueError) as error:
        raise CorpusError(f"{path}: broken XML ({error})") from error
    except OSError as error:
        raise CorpusError(f"{path}: cannot be read ({error.strerror})") from error
    kind = _name(root)
    if kind not in ("alto", "PcGts"):
        raise CorpusError(f"{path}: neither ALTO nor PAGE, its root is <{kind}>")
    page = next((e for e in root.iter() if _name(e) == "Page"), None)
    if page is None:
        raise CorpusError(f"{path}: has no <Page>")
    return LayoutFile(path, root, kind, _zoom(path, page, size))


def read_layout(path: AnyPath, size: tuple[int, int]) -> Layout:
    """Read the regions of a picture of ``size`` (width, height)."""
    found = open_layout(path, size)
    try:
        regions = [found.outline(element) for element in text_elements(found.root)]
        lines = [
            line
            for block in _blocks(found.root)
            for part in _lines(block)
            if (line := _line(part, found.outline(part), found.zoom))
        ]
    except ValueError as error:
        raise CorpusError(f"{path}: broken coordinates ({error})") from error
    if not all(math.isfinite(x) and math.isfinite(y) for region in regions for x, y in region):
        raise CorpusError(f"{path}: broken coordinates (not finite)")
    return Layout(tuple(map(Region, regions)), _line_distance(lines), tuple(lines))


def text_elements(root: ElementTree.Element) -> list[ElementTree.Element]:
    """The elements of an ALTO or PAGE document that are text regions, in the order of the file.

    Of a block without a shape these are its lines.
    """
    outline = _alto_outline if _name(root) == "alto" else _page_outline
    found = []
    for block in _blocks(root):
        if _area(outline(block)) > 0:
            found.append(block)
        else:
            found += [line for line in _lines(block) if _area(outline(line)) > 0]
    return found


def _blocks(root: ElementTree.Element) -> Iterator[ElementTree.Element]:
    block = "TextBlock" if _name(root) == "alto" else "TextRegion"
    page = next((element for element in root.iter() if _name(element) == "Page"), root)
    return (element for element in page.iter() if _name(element) == block)


def _lines(block: ElementTree.Element) -> Iterator[ElementTree.Element]:
    return (part for part in block if _name(part) == "TextLine")


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _zoom(path: AnyPath, page: ElementTree.Element, size: tuple[int, int]) -> tuple[float, float]:
    width = page.get("WIDTH") or page.get("imageWidth")
    height = page.get("HEIGHT") or page.get("imageHeight")
    if not width or not height:
        return 1.0, 1.0
    try:
        zoom = size[0] / float(width), size[1] / float(height)
    except (ValueError, ZeroDivisionError) as error:
        raise CorpusError(f"{path}: states a page of {width}×{height}") from error
    if not all(0 < value < math.inf for value in zoom):
        raise CorpusError(f"{path}: states a page of {width}×{height}")
    if not 0.97 < zoom[0] / zoom[1] < 1.03:
        raise CorpusError(
            f"{path}: is made for a page of {width}×{height}, the picture has {size[0]}×{size[1]}"
        )
    return zoom


def _alto_outline(element: ElementTree.Element) -> Polygon:
    for part in element:
        if _name(part) == "Shape":
            for polygon in part:
                if _name(polygon) == "Polygon":
                    return _points(polygon.get("POINTS", ""))
    box = [element.get(key) for key in ("HPOS", "VPOS", "WIDTH", "HEIGHT")]
    if None in box:
        return ()
    left, top, width, height = (float(value or 0) for value in box)
    return ((left, top), (left + width, top), (left + width, top + height), (left, top + height))


def _page_outline(element: ElementTree.Element) -> Polygon:
    for part in element:
        if _name(part) == "Coords":
            if points := part.get("points"):
                return _points(points)
            corners = [corner for corner in part if _name(corner) == "Point"]  # before 2013
            return tuple((float(c.get("x", 0)), float(c.get("y", 0))) for c in corners)
    return ()


def _points(text: str) -> Polygon:
    numbers = [float(number) for number in _NUMBER.findall(text)]
    if len(numbers) % 2:
        raise ValueError(f"an odd number of coordinates in {text[:40]!r}")
    return tuple(zip(numbers[::2], numbers[1::2], strict=True))


def _line(element: ElementTree.Element, outline: Polygon, zoom: tuple[float, float]) -> Line | None:
    base = element.get("BASELINE", "")
    for part in element:
        if _name(part) == "Baseline":
            base = part.get("points", "")
    numbers = _NUMBER.findall(base)
    if len(numbers) >= 4:
        points = _zoomed(_points(base), zoom)
        xs, ys = zip(*points, strict=True)
        return Line(min(xs), max(xs), sum(ys) / len(ys), outline)
    if not outline:
        return None
    xs, ys = zip(*outline, strict=True)
    height = float(numbers[0]) * zoom[1] if len(numbers) == 1 else max(ys)  # ALTO 2: one number
    return Line(min(xs), max(xs), height, outline)


def _zoomed(polygon: Polygon, zoom: tuple[float, float]) -> Polygon:
    return tuple((x * zoom[0], y * zoom[1]) for x, y in polygon)


def _area(polygon: Polygon) -> float:
    following = polygon[1:] + polygon[:1]
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(polygon, following, strict=True))) / 2


def _line_distance(lines: list[Line]) -> float | None:
    """The median distance from each line to the next one below it in the same column."""
    found = list(_distances(sorted(lines, key=lambda line: line.height)))
    return median(found) if found else None


def _distances(lines: list[Line]) -> Iterator[float]:
    for number, line in enumerate(lines):
        for below in lines[number + 1 :]:
            shared = min(line.right, below.right) - max(line.left, below.left)
            shorter = min(line.right - line.left, below.right - below.left)
            if shared > _OVERLAP * shorter and below.height - line.height > 1:
                yield below.height - line.height
                break

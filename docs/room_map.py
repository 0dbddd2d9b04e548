"""The map of rooms, drawn from the rows that import-linter holds: docs/rooms.md and its picture.

python docs/room_map.py
"""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "rooms.md"
PICTURE = ROOT / "docs" / "img" / "rooms.png"
BEGIN, END = "<!-- rooms: by docs/room_map.py -->", "<!-- end of rooms -->"


def rows() -> list[list[str]]:
    """The rooms by row, the uppermost first; one in brackets is still to be built."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contracts if each["type"] == "layers")
    return [[room.strip() for room in layer.split("|")] for layer in layers]


def about(room: str) -> str:
    """The first sentence of a room's docstring."""
    place = ROOT / "src" / "dgmp" / room
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    if not file.exists():
        return "still to be built; its row is fixed"
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split()).split(". ")[0].rstrip(".")


def table() -> str:
    """The rows as a Markdown table."""
    lines = ["| row | room | what it is for |", "|---:|---|---|"]
    for number, row in enumerate(rows(), start=1):
        for place, room in enumerate(row):
            name = room.strip("()")
            lines.append(f"| {number if place == 0 else ''} | `{name}` | {about(name)} |")
    return "\n".join(lines)


def write_page() -> None:
    """Put the table between its marks."""
    text = PAGE.read_text(encoding="utf-8")
    marked = f"{BEGIN}\n\n{table()}\n\n{END}"
    text = re.sub(rf"{BEGIN}.*?{END}", lambda _: marked, text, flags=re.DOTALL)
    PAGE.write_text(text, encoding="utf-8")


def draw() -> None:
    """The rows as a picture: a room may look down, never sideways or up."""
    from dgmp.plotting import INK, PALE, PARCHMENT, picture

    levels = rows()
    width, height, gap = 10.0, 0.42, 0.14
    with picture(PICTURE, width, len(levels) * (height + gap) + 0.3) as figure:
        figure.set_layout_engine("none")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_xlim(0, width)
        axes.set_ylim(len(levels) * (height + gap) + 0.15, -0.15)
        axes.axis("off")
        for number, row in enumerate(levels):
            top = number * (height + gap) + gap / 2
            wide = (width - 1.2 - gap * (len(row) - 1)) / len(row)
            for place, room in enumerate(row):
                left = 0.9 + place * (wide + gap)
                built = not room.startswith("(")
                axes.add_patch(_box(left, top, wide, height, PARCHMENT if built else "white", PALE))
                name = room.strip("()")
                axes.text(
                    left + wide / 2, top + height / 2, name, ha="center", va="center", fontsize=11,
                    color=INK, style="normal" if built else "italic",
                )  # fmt: skip
        arrow = {"arrowstyle": "-|>", "color": INK, "lw": 1.4}
        bottom = len(levels) * (height + gap) - gap
        axes.annotate("", (0.5, bottom), (0.5, gap), arrowprops=arrow)
        axes.text(
            0.25, bottom / 2, "may import", rotation=90, ha="center", va="center", fontsize=10
        )


def _box(left: float, top: float, width: float, height: float, face: str, edge: str) -> object:
    from matplotlib.patches import FancyBboxPatch

    style = "round,pad=0,rounding_size=0.08"
    corner = (left, top)
    return FancyBboxPatch(corner, width, height, boxstyle=style, facecolor=face, edgecolor=edge)


if __name__ == "__main__":
    write_page()
    draw()

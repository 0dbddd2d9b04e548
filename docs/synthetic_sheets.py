"""Draw the sheets of docs/synthetic.md: the twelve scripts, and eight hands."""

from pathlib import Path

import cv2
import numpy as np

from dgmp.synthetic import SCRIPTS
from dgmp.synthetic.pen import draw_strokes
from dgmp.synthetic.writers import make_writer, stream
from dgmp.synthetic.writing import PageLayout, write_text

TEXT = (
    "Quod si hominibus bonarum rerum tanta cura esset quanto studio aliena petunt et factum "
    "est gaudium magnum per omnes dies vitae. Amen"
)
HERE = Path(__file__).parent / "img"
WIDTH, HEIGHT, LINE = 760, 208, 80
PAPER, INK = 250.0, 35.0


def block(title: str, script: str, number: int, lines: int = 2) -> np.ndarray:
    """Two lines by one hand under their title."""
    writer = make_writer((1, 1, number), script)
    layout = PageLayout(LINE, 24, WIDTH - 24, 96, lines, False, 0)
    strokes = write_text(writer, TEXT.split(), layout, stream(5))
    ink = cv2.GaussianBlur(draw_strokes(strokes, HEIGHT, WIDTH), (0, 0), 0.5)
    picture = PAPER + (INK - PAPER) * np.minimum(ink / 235.0, 1)
    picture = np.rint(picture).astype(np.uint8)
    cv2.putText(picture, title, (22, 24), cv2.FONT_HERSHEY_SIMPLEX, 0.55, 110, 1, cv2.LINE_AA)
    return picture


def sheet(name: str, blocks: list[np.ndarray]) -> None:
    rows = [np.hstack(blocks[i : i + 2]) for i in range(0, len(blocks), 2)]
    cv2.imwrite(str(HERE / name), np.vstack(rows), [cv2.IMWRITE_PNG_COMPRESSION, 9])


def main() -> None:
    HERE.mkdir(exist_ok=True)
    sheet("scripts.png", [block(name, name, 20 + i) for i, name in enumerate(SCRIPTS)])
    hands = [(script, 40 + i) for i in range(4) for script in ("Caroline", "Cursiva")]
    sheet("hands.png", [block(f"{script}, writer {n}", script, n) for script, n in hands])


if __name__ == "__main__":
    main()

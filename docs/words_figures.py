"""Draw the pictures of docs/words.md: ``python docs/words_figures.py [FONTS]``.

Some hands; those of font files, if a folder of fonts is given; known words, and the candidates of
the same page; hits of the model that comes with the package; and the page in the browser that shows
them, which stays as it is where there is no Chromium.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from dgmp.spotting import draw_hits, find_candidates
from dgmp.synthetic import draw_word_page, find_fonts, synthesize_words
from dgmp.tasks import describe, group, spot

IMAGES = Path(__file__).parent / "img"
sys.path.insert(0, str(Path(__file__).parent.parent))

from tools.browser import MISSING, find_browser, launched, served  # noqa: E402

PART = (slice(180, 560), slice(60, 900))
RED, BLUE = (40, 40, 200), (190, 110, 20)
HANDS = (0, 2, 4, 11, 14, 3)  # writers: five round hands and a book hand
WORD = "whether"


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    draw_hands()
    if len(sys.argv) > 1:
        draw_fonts(find_fonts(sys.argv[1])[0])
    draw_candidates()
    with tempfile.TemporaryDirectory() as folder:
        catalogue = look_for_words(Path(folder))
        photograph(catalogue)


def draw_candidates() -> None:
    page, boxes = draw_word_page(11, 12)
    known = cv2.cvtColor(page, cv2.COLOR_GRAY2BGR)
    for (left, top, right, bottom), text in boxes:
        cv2.rectangle(known, (left, top), (right, bottom), RED, 1)
        cv2.putText(known, text, (left, top - 3), cv2.FONT_HERSHEY_SIMPLEX, 0.45, BLUE, 1)
    save("words_known.jpg", known)
    guessed = cv2.cvtColor(page, cv2.COLOR_GRAY2BGR)
    for left, top, right, bottom in find_candidates(page, 76).tolist():
        cv2.rectangle(guessed, (left, top), (right, bottom), BLUE, 1)
    save("words_candidates.jpg", guessed)


def draw_hands() -> None:
    lines = [line_of(*draw_word_page(writer, 12)) for writer in HANDS]
    cv2.imwrite(str(IMAGES / "words_hands.jpg"), np.vstack(lines), [cv2.IMWRITE_JPEG_QUALITY, 75])


def draw_fonts(fonts: list[Path]) -> None:
    chosen = fonts[:: max(len(fonts) // len(HANDS), 1)][: len(HANDS)]
    lines = [line_of(*draw_word_page(number, 12, font)) for number, font in enumerate(chosen)]
    cv2.imwrite(str(IMAGES / "words_fonts.jpg"), np.vstack(lines), [cv2.IMWRITE_JPEG_QUALITY, 75])


def line_of(page: np.ndarray, boxes: list) -> np.ndarray:
    """A strip of a page with the line that stands nearest to its middle."""
    middles = [(box[1] + box[3]) // 2 for box, _ in boxes]
    middle = min(middles, key=lambda at: abs(at - page.shape[0] // 2))
    return page[middle - 42 : middle + 42, PART[1]]


def save(name: str, picture: np.ndarray) -> None:
    cv2.imwrite(str(IMAGES / name), picture[PART], [cv2.IMWRITE_JPEG_QUALITY, 75])


def look_for_words(folder: Path) -> Path:
    """Draw the hits, and give a catalogue whose pages have been looked at."""
    synthesize_words(folder / "known", writers=3, pages=2, seed=9)
    (folder / "scans").mkdir()
    for page in (folder / "known").glob("*/*.jpg"):
        shutil.copy(page, folder / "scans")
    catalogue = folder / "letters"
    describe(folder / "scans", catalogue)
    group(catalogue)
    found = spot(catalogue, WORD, number=10)
    draw_hits(found.hits, list(found.index.pages.values()), IMAGES / "words_hits.png", WORD)
    return catalogue


def photograph(catalogue: Path) -> None:
    browser_path = find_browser()
    if browser_path is None:
        print(f"{MISSING}; the picture of the page stays as it is", file=sys.stderr)
        return
    with served(catalogue) as home, launched(browser_path) as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{home}/words?word={WORD}")
        page.wait_for_load_state("networkidle")
        with Image.open(io.BytesIO(page.screenshot())) as picture:
            picture.convert("RGB").save(IMAGES / "words_web.jpg", quality=80, optimize=True)


if __name__ == "__main__":
    main()

"""Draw the pictures of docs/words.md: ``python docs/words_figures.py``.

Some hands; known words, and the candidates of the same page; hits of a small network that learns
for a minute from other pages of the same two writers; and the page in the browser that shows them,
which stays as it is where there is no Chromium.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from dgmp.spotting import WordRecipe, WordSpec, draw_hits, find_candidates, open_words, train_words
from dgmp.synthetic import draw_word_page, synthesize_words
from dgmp.tasks import describe, group, spot

IMAGES = Path(__file__).parent / "img"
sys.path.insert(0, str(Path(__file__).parent.parent))

from tools.browser import MISSING, find_browser, launched, served  # noqa: E402

PART = (slice(180, 560), slice(60, 900))
RED, BLUE = (40, 40, 200), (190, 110, 20)
HANDS = (0, 2, 4, 11, 14, 3)  # writers: five round hands and a book hand
WORD = "received"
LEARNED = 24  # pages of each writer; the words are looked for on those after them
RECIPE = WordRecipe(
    model=WordSpec(network="word-resnet-tiny"),
    epochs=10,
    epoch_steps=200,
    decay_from=4,
    warmup_steps=50,
)


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    draw_hands()
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


def line_of(page: np.ndarray, boxes: list) -> np.ndarray:
    """A strip of a page with the line that stands nearest to its middle."""
    middles = [(box[1] + box[3]) // 2 for box, _ in boxes]
    middle = min(middles, key=lambda at: abs(at - page.shape[0] // 2))
    return page[middle - 42 : middle + 42, PART[1]]


def save(name: str, picture: np.ndarray) -> None:
    cv2.imwrite(str(IMAGES / name), picture[PART], [cv2.IMWRITE_JPEG_QUALITY, 75])


def look_for_words(folder: Path) -> Path:
    """Learn, draw the hits, and give a catalogue whose pages have been looked at."""
    synthesize_words(folder / "known", writers=2, pages=LEARNED + 4, seed=3)
    words = open_words(folder / "known")
    learned = [name for name in words.pages if int(name.rpartition("_p")[2][:-4]) < LEARNED]
    for name in sorted(set(words.pages) - set(learned)):
        (folder / "scans").mkdir(exist_ok=True)
        shutil.copy(folder / "known" / name, folder / "scans")
    train_words(RECIPE, replace(words, words=words.on(learned)), folder / "run")
    catalogue = folder / "letters"
    describe(folder / "scans", catalogue)
    group(catalogue)
    found = spot(catalogue, WORD, model=folder / "run", number=10)
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

"""Draw the pictures of docs/words.md: hands, known words, the candidates of the same page."""

from pathlib import Path

import cv2
import numpy as np

from dgmp.spotting import find_candidates
from dgmp.synthetic import draw_word_page

HERE = Path(__file__).parent / "img"
PART = (slice(180, 560), slice(60, 900))
RED, BLUE = (40, 40, 200), (190, 110, 20)
HANDS = (0, 2, 4, 11, 14, 3)  # writers: five round hands and a book hand


def main() -> None:
    HERE.mkdir(exist_ok=True)
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
    lines = [line_of(*draw_word_page(writer, 12)) for writer in HANDS]
    cv2.imwrite(str(HERE / "words_hands.jpg"), np.vstack(lines), [cv2.IMWRITE_JPEG_QUALITY, 75])


def line_of(page: np.ndarray, boxes: list) -> np.ndarray:
    """A strip of a page with the line that stands nearest to its middle."""
    middles = [(box[1] + box[3]) // 2 for box, _ in boxes]
    middle = min(middles, key=lambda at: abs(at - page.shape[0] // 2))
    return page[middle - 42 : middle + 42, PART[1]]


def save(name: str, picture: np.ndarray) -> None:
    cv2.imwrite(str(HERE / name), picture[PART], [cv2.IMWRITE_JPEG_QUALITY, 75])


if __name__ == "__main__":
    main()

"""Photograph the page in the browser into docs/img/: ``python docs/web_figures.py``.

Pages are synthetic, the describer is the one that comes with the package. Without Chromium the
pictures stay as they are.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

from dgmp.engines import Processes, cores
from dgmp.synthetic import synthesize
from dgmp.tasks import describe, group, stored_hands

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from tools.browser import MISSING, find_browser, launched, served  # noqa: E402

COLOURS = 200  # of a palette: scans are grey, and a picture stays below 300 kB


def photograph(page: Any, name: str) -> None:
    page.wait_for_load_state("networkidle")
    with Image.open(io.BytesIO(page.screenshot())) as picture:
        picture.convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE).save(
            HERE / "img" / name, optimize=True
        )


def main() -> None:
    found = find_browser()
    if found is None:
        print(f"{MISSING}; the pictures of the page stay as they are", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as folder:
        scans, catalogue = Path(folder) / "scans", Path(folder) / "shelf 7"
        synthesize(scans, writers=8, pages=4, seed=7)
        describe(scans, catalogue, engine=Processes(cores()))
        group(catalogue)
        grouped = stored_hands(catalogue)
        assert grouped is not None
        single = grouped.hands[-1]
        assert single.nearest is not None
        nearest = grouped.hands[single.nearest - 1]
        with served(catalogue) as home, launched(found) as browser:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(f"{home}/hands")
            photograph(page, "view_hands.png")
            pair = f"first={nearest.page_ids[0]}&second={single.page_ids[0]}"
            page.goto(f"{home}/compare?{pair}")
            page.locator(".pair-button").nth(1).click()
            page.wait_for_timeout(1500)
            photograph(page, "view_compare.png")
            page.goto(f"{home}/map")
            page.wait_for_selector("#map[data-ready]")
            page.locator("#map canvas").focus()
            for _ in range(4):
                page.keyboard.press("ArrowDown")
            page.keyboard.press("Space")
            page.wait_for_timeout(500)
            photograph(page, "view_map.png")


if __name__ == "__main__":
    main()

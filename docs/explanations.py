"""Draw the pictures of using.md from synthetic pages: train on some writers, explain others."""

import sys
import tempfile
from pathlib import Path

from PIL import Image

from dgmp.corpora import open_corpus
from dgmp.describers import draw_likeness, draw_weights, explain_page, load_describer
from dgmp.pixels import prepare_page
from dgmp.synthetic import synthesize
from dgmp.training import RECIPES, train

IMG = Path(__file__).with_name("img")


def main(run: Path | None = None) -> None:
    """Draw with a given run, or with one trained here, which takes some minutes."""
    with tempfile.TemporaryDirectory() as folder:
        if run is None:
            synthesize(f"{folder}/known", writers=60, seed=1)
            run = Path(folder) / "run"
            train(RECIPES["writer-small"], open_corpus(f"{folder}/known"), run)
        synthesize(f"{folder}/others", writers=3, pages=2, seed=2)
        describer = load_describer(run)
        pages = open_corpus(f"{folder}/others").pages
        explained = [explain_page(describer, prepare_page(p, describer.preparation)) for p in pages]
        drawn = [
            draw_weights(explained[0], IMG / "explain-weights.png"),
            draw_likeness(explained[0], explained[1], IMG / "explain-same.png"),
            draw_likeness(explained[0], explained[2], IMG / "explain-other.png"),
        ]
        for path in drawn:  # a palette does for print, in a third of the bytes
            with Image.open(path) as picture:
                colours = picture.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE)
            colours.save(path, optimize=True)


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:2]))

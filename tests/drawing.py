"""Small pages that look like writing, made on the spot."""

import numpy as np
from PIL import Image, ImageDraw


def written(width=420, height=300, *, distance=40, letter=14, seed=0, paper=230, ink=40):
    """Lines of strokes, ``distance`` pixels apart."""
    rng = np.random.default_rng(seed)
    page = Image.new("L", (width, height), paper)
    draw = ImageDraw.Draw(page)
    thick = max(letter // 6, 1)
    for base in range(distance, height - letter // 2, distance):
        x = distance // 2
        while x < width - distance:
            for _ in range(rng.integers(2, 6)):
                top = base - letter * (1.8 if rng.random() < 0.2 else 1)
                draw.line((x, base, x + letter // 4, top), fill=ink, width=thick)
                draw.arc((x, base - letter, x + letter, base), 180, 360, fill=ink, width=thick)
                x += letter
            x += letter
    return np.asarray(page)

"""Pictures that are part of the page."""

import base64

import cv2
import numpy as np

from dgmp.demo.inline_pictures import draw_svg, inline_pixels


def test_pixels_come_back_from_their_address():
    pixels = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)
    found = inline_pixels(pixels)
    assert (found.width, found.height) == (6, 4)
    data = base64.b64decode(found.address.removeprefix("data:image/png;base64,"))
    decoded = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert (decoded[..., ::-1] == pixels).all()


def test_a_chart_takes_the_colours_of_the_page_and_escapes_its_texts():
    def plot(axes):
        axes.plot([1, 2], [3, 4])
        axes.set_xlabel("x < y")

    svg = draw_svg(3, 2, "a <line>", plot)
    assert svg.startswith("<svg ")
    assert "currentColor" in svg
    assert "http" not in svg
    assert 'aria-label="a &lt;line&gt;"' in svg
    assert "x &lt; y" in svg

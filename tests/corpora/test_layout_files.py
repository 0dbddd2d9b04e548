"""Text regions and line distances from ALTO and PAGE files."""

from pathlib import Path

import pytest

from dgmp.corpora import layout_file, read_layout
from dgmp.errors import CorpusError
from dgmp.records import Region

from .layouts import ALTO, BLOCK

SIZE = (420, 300)
PAGE = '<PcGts><Page imageWidth="840" imageHeight="600">{}</Page></PcGts>'
COORDS = '<Coords points="20,40 220,40 220,140 20,140"/>'


@pytest.fixture
def layout(tmp_path):
    """A function that writes a layout file and reads it."""

    def read(text):
        (tmp_path / "a.xml").write_text(text)
        return read_layout(tmp_path / "a.xml", SIZE)

    return read


@pytest.mark.parametrize("place", ["a.xml", "page/a.xml", "alto/a.xml", "a.alto.xml", "a.png.xml"])
def test_the_layout_file_of_a_picture_is_found(tmp_path, place):
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).touch()
    assert layout_file(tmp_path / "a.png") == tmp_path / place


def test_the_layout_file_of_another_picture_is_not_taken(tmp_path):
    (tmp_path / "b.xml").touch()
    assert layout_file(tmp_path / "a.png") is None


def test_the_files_of_a_folder_save_asking_the_disk():
    files = {Path("set/page/a.xml")}
    assert layout_file(Path("set/a.png"), files) == Path("set/page/a.xml")


def test_a_block_of_alto_is_a_region(layout):
    assert layout(ALTO.format(BLOCK.format(10))).regions == (Region.rectangle(10, 20, 110, 70),)


def test_the_outline_of_a_block_wins_over_its_rectangle(layout):
    outline = '<Shape><Polygon POINTS="10,20 110,20 60,70"/></Shape>'
    block = f'<TextBlock HPOS="0" VPOS="0" WIDTH="9" HEIGHT="9">{outline}</TextBlock>'
    assert layout(ALTO.format(block)).regions == (Region(((10, 20), (110, 20), (60, 70))),)


def test_a_region_of_page_is_brought_to_the_pixels_of_the_picture(layout):
    found = layout(PAGE.format(f"<TextRegion>{COORDS}</TextRegion>"))
    assert found.regions == (Region.rectangle(10, 20, 110, 70),)


def test_points_before_2013_are_elements(layout):
    points = "".join(f'<Point x="{x}" y="{y}"/>' for x, y in ((20, 40), (220, 40), (220, 140)))
    found = layout(PAGE.format(f"<TextRegion><Coords>{points}</Coords></TextRegion>"))
    assert found.regions == (Region(((10, 20), (110, 20), (110, 70))),)


@pytest.mark.parametrize("other", ["ImageRegion", "TableRegion", "SeparatorRegion"])
def test_only_text_counts(layout, other):
    assert layout(PAGE.format(f"<{other}>{COORDS}</{other}>")).regions == ()


def test_a_block_without_a_shape_is_as_large_as_its_lines(layout):
    line = '<TextLine HPOS="10" VPOS="{}" WIDTH="100" HEIGHT="20"/>'
    found = layout(ALTO.format(f"<TextBlock>{line.format(20)}{line.format(60)}</TextBlock>"))
    assert found.regions == (Region.rectangle(10, 20, 110, 40), Region.rectangle(10, 60, 110, 80))


def baselines(*lines):
    return "<TextRegion>{}{}</TextRegion>".format(
        COORDS,
        "".join(
            f'<TextLine><Baseline points="{left},{y} {left + 200},{y}"/></TextLine>'
            for left, y in lines
        ),
    )


def test_the_line_distance_is_that_of_baselines_in_pixels_of_the_picture(layout):
    found = layout(PAGE.format(baselines((20, 300), (20, 380), (20, 460))))
    assert found.line_distance == 40


def test_lines_of_two_columns_are_not_next_to_each_other(layout):
    lines = [(left, y + left // 10) for left in (20, 320) for y in (100, 180, 260)]
    assert layout(PAGE.format(baselines(*lines))).line_distance == 40


def test_a_single_line_has_no_distance(layout):
    assert layout(PAGE.format(baselines((20, 300)))).line_distance is None


def test_lines_are_kept_where_they_lie(layout):
    (line,) = layout(PAGE.format(baselines((20, 300)))).lines
    assert (line.left, line.right, line.height) == (10, 110, 150)


def test_a_file_that_states_no_size_is_in_pixels_of_the_picture(layout):
    found = layout(f"<PcGts><Page><TextRegion>{COORDS}</TextRegion></Page></PcGts>")
    assert found.regions[0].bounds == (20, 40, 220, 140)


BROKEN = {
    "broken": ("<alto><Layout>", "broken XML"),
    "another": ("<TEI/>", "neither ALTO nor PAGE, its root is <TEI>"),
    "no page": ("<alto><Layout/></alto>", "has no <Page>"),
    "other size": ('<alto><Page WIDTH="300" HEIGHT="300"/></alto>', "made for a page of 300×300"),
    "no size": ('<alto><Page WIDTH="0" HEIGHT="many"/></alto>', "states a page of 0×many"),
    "odd": (PAGE.format('<TextRegion><Coords points="1,2 3"/></TextRegion>'),
            "an odd number of coordinates"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BROKEN)
def test_a_layout_file_that_cannot_be_used_is_an_error(layout, kind):
    text, message = BROKEN[kind]
    with pytest.raises(CorpusError, match=message):
        layout(text)


def test_a_layout_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(CorpusError, match="cannot be read"):
        read_layout(tmp_path / "gone.xml", SIZE)


@pytest.mark.parametrize("width", ["inf", "nan", "1e999", "-10", "0"])
def test_a_page_without_a_size_is_refused(tmp_path, width):
    page = f'<PcGts><Page imageWidth="{width}" imageHeight="{width}"/></PcGts>'
    (tmp_path / "a.xml").write_text(page)
    with pytest.raises(CorpusError, match="states a page of"):
        read_layout(tmp_path / "a.xml", (100, 100))

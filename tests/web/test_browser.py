"""What a person does, with a real browser: Chromium, driven by Playwright."""

import os
import re
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from dgmp.catalogue import Catalogue
from dgmp.tasks import decisions, group, stored_hands
from dgmp.web.views.words import ON_A_LEAF
from tools.browser import MISSING, find_browser, launched, served

SIZES = {"desk": (1280, 800), "tablet": (820, 1180)}
READY = "html.with-script body"  # a page that listens to keys
AT_REST = """() => {
  const { zoomSpring, centerSpringX, centerSpringY } = shown[0].viewer.viewport;
  return [zoomSpring, centerSpringX, centerSpringY].every((spring) => spring.isAtTargetValue());
}"""
PIECE = ".pairs.for .pair-button[aria-pressed]"  # one that listens to clicks
PATIENCE = 120_000  # milliseconds: the machine may be busy


@pytest.fixture(scope="module")
def browser():
    found = find_browser()
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    with launched(found) as browser:
        yield browser


@pytest.fixture(scope="module")
def home(described, tmp_path_factory):
    """A server for tests that decide nothing."""
    copy = shutil.copytree(described, tmp_path_factory.mktemp("shown") / "shelf 7")
    with served(copy) as address:
        yield address


@pytest.fixture
def open_page(browser):
    """A function that opens an address; at the end no page may have complained."""
    complaints, contexts = [], []

    def open_at(address, **options):
        width, height = SIZES["desk"]
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda said: complaints.append(said.text) if said.type == "error" else None,
        )
        page.goto(address)
        return page

    yield open_at
    for context in contexts:
        context.close()
    assert complaints == []


def test_a_person_finds_doubt_sees_evidence_decides_merges_undoes_searches_and_exports(
    open_page, catalogue, page_ids, tmp_path
):
    scan = Path(Catalogue.open(catalogue).paths()[page_ids[5]])
    with served(catalogue) as home:
        page = open_page(home)
        page.get_by_label("Decisions by").fill("Erika")
        with page.expect_navigation():
            page.get_by_role("button", name="Save").click()

        # The hand that needs an eye most, its first page beside its last.
        page.locator(".hand h2 a").first.click()
        page.get_by_role("link", name="compare").last.click()
        page.get_by_text("probability of one hand").wait_for()

        # Evidence: a piece that is clicked is shown on both scans.
        page.locator(PIECE).first.click()
        page.wait_for_selector('[data-viewer="first"] .place')
        page.wait_for_selector('[data-viewer="second"] .place')

        # Different hands, by a key.
        page.locator(READY).press("d")
        page.wait_for_selector(".flash")
        assert "different hands" in page.locator(".flash").inner_text()
        first, second = (
            page.locator(f"input[name={n}]").get_attribute("value") for n in ("first", "second")
        )
        assert apart(catalogue, first, second)

        # Two hands become one, then two again.
        page.goto(f"{home}/hands?order=size")
        page.locator(".hand h2 a").first.click()
        before = len(stored_hands(catalogue).hands)
        page.locator(".nearest button", has_text="Merge").last.click()
        page.wait_for_selector(".flash")
        assert len(stored_hands(catalogue).hands) < before
        page.locator(".flash button", has_text="Undo").click()
        page.wait_for_selector(".flash", state="detached")
        assert len(stored_hands(catalogue).hands) == before

        # A picture from elsewhere finds its own page first.
        page.goto(f"{home}/search")
        page.locator("#picture").set_input_files(scan)
        page.wait_for_selector(".ranking li")
        assert page.locator(".ranking a[data-step]").first.get_attribute("title") == page_ids[5]

        # Why: the same evidence, on the picture and on the page.
        page.locator(READY).press("w")
        page.locator(PIECE).first.click()
        page.wait_for_selector('[data-viewer="first"] .place')
        assert page.get_by_role("button", name="Same hand").count() == 0

        # The hands as a table.
        page.goto(f"{home}/decisions")
        assert page.locator("tbody tr").first.inner_text().count("Erika") == 1
        with page.expect_download() as download:
            page.get_by_role("link", name="hands.csv").click()
        download.value.save_as(tmp_path / "hands.csv")
        assert (tmp_path / "hands.csv").read_text("utf-8-sig").count("\n") == len(page_ids) + 1
        page.close()

    # The same catalogue, grouped anew: what was decided holds.
    group(catalogue)
    assert apart(catalogue, first, second)
    assert [d.person for d in decisions(catalogue)] == ["Erika"]


def apart(catalogue, first, second):
    number = {id: hand.number for hand in stored_hands(catalogue).hands for id in hand.page_ids}
    return number[first] != number[second]


def test_the_review_is_answered_by_keys_alone(open_page, catalogue):
    with served(catalogue) as home:
        page = open_page(home)
        page.locator(READY).press("2")
        page.wait_for_selector("h1:has-text('Question 1')")
        page.locator(READY).press("u")
        page.wait_for_url(re.compile(r"answered=1"))
        page.close()
    assert [d.verdict for d in decisions(catalogue)] == ["unsure"]


def test_every_page_fits_a_desk_and_a_tablet_without_complaints(open_page, home, page_ids):
    pair = f"first={page_ids[0]}&second={page_ids[4]}"
    page = open_page(home)
    for address in (
        "/hands",
        "/hands/1",
        f"/compare?{pair}",
        "/review",
        "/map",
        "/words",
        "/decisions",
    ):
        page.goto(home + address)
        page.wait_for_load_state("networkidle")
        for width, height in SIZES.values():
            page.set_viewport_size({"width": width, "height": height})
            page.wait_for_function("document.documentElement.scrollWidth <= window.innerWidth")


def test_both_scans_move_together_on_wish(open_page, home, page_ids):
    page = open_page(f"{home}/compare?first={page_ids[0]}&second={page_ids[1]}")
    page.wait_for_selector('[data-viewer="second"] canvas')
    page.wait_for_function("() => shown.every((side) => side.viewer.world.getItemCount())")
    page.locator(READY).press("y")
    page.evaluate("shown[0].viewer.viewport.zoomBy(2)")
    page.wait_for_function(
        "() => { const { viewport } = shown[1].viewer;"
        " return viewport.getZoom() > 1.8 * viewport.getHomeZoom(); }"
    )


def test_the_keys_of_a_page_are_listed(open_page, home, page_ids):
    page = open_page(f"{home}/compare?first={page_ids[0]}&second={page_ids[1]}")
    page.locator(READY).press("?")
    listed = page.locator("dialog[open]").inner_text()
    for words in ("Same hand", "Different hands", "Cannot say", "Move both pages together"):
        assert words in listed


def test_pages_are_chosen_on_the_map_with_a_lasso(open_page, home, page_ids):
    page = open_page(f"{home}/map")
    page.wait_for_selector("#map[data-ready]")
    box = page.locator("#map canvas").bounding_box()
    corners = [(0.01, 0.01), (0.99, 0.01), (0.99, 0.99), (0.01, 0.99)]
    for number, (x, y) in enumerate(corners):
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"])
        if number == 0:
            page.mouse.down()
    page.mouse.up()
    page.locator("#selected", has_text=f"{len(page_ids)} pages").wait_for()


def test_hands_beside_each_other_on_the_map_have_other_colours(open_page, home):
    page = open_page(f"{home}/map")
    page.wait_for_selector("#map[data-ready]")
    found = page.evaluate(
        """() => {
          map = { ...map, hands: [], x: [], y: [] };
          for (let i = 0; i < 144; i += 1) {
            map.hands.push(1 + ((i * 37) % 144));
            map.x.push(i % 12);
            map.y.push(Math.floor(i / 12));
          }
          chooseColours();
          return map.hands.map((hand) => colours.get(hand).join());
        }"""
    )
    rows = [found[start : start + 12] for start in range(0, 144, 12)]
    for line in (*rows, *zip(*rows, strict=True)):
        assert all(one != other for one, other in pairwise(line))


def test_a_scan_that_is_gone_is_said_in_a_sentence(browser, home, page_ids):
    page = browser.new_page()  # a browser complains about what is missing, as it should
    page.set_default_timeout(PATIENCE)
    page.route("**/info.json", lambda route: route.fulfill(status=404, body="gone"))
    page.goto(f"{home}/compare?first={page_ids[0]}&second={page_ids[1]}")
    sentence = page.get_by_text("The scan cannot be shown: its file is gone").first
    sentence.wait_for()
    assert page.get_by_text("Unable to open").count() == 0
    page.close()


def test_the_map_is_walked_by_keys_and_shows_thumbnails(open_page, home):
    page = open_page(f"{home}/map")
    page.wait_for_selector("#map[data-ready]")
    page.locator("#map canvas").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#tip img")
    page.keyboard.press("Space")
    page.locator("#selected", has_text="1 page").wait_for()


def test_a_region_is_drawn_with_the_mouse(open_page, home, page_ids):
    page = open_page(f"{home}/search?page={page_ids[0]}")
    region = page.locator("#region")
    region.scroll_into_view_if_needed()
    page.wait_for_function("() => document.querySelector('#region img').complete")
    box = region.bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + 220)
    page.mouse.up()
    page.wait_for_function(r"() => /^(\d+,){3}\d+$/.test(document.querySelector('#box').value)")
    page.get_by_role("button", name="Search in region").click()
    page.wait_for_selector("text=in the chosen region")


def test_a_word_is_typed_found_shown_on_its_page_and_pointed_at(open_page, spotted):
    with served(spotted) as home:
        page = open_page(f"{home}/words")
        page.locator(READY).press("/")
        page.keyboard.type("Dominus")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=most like “Dominus”")

        # A hit is framed on its page.
        page.locator(".spot").first.click()
        page.wait_for_selector("[data-viewer] .place")
        framed = page.locator("#box").input_value()
        assert page.locator("[data-viewer]").get_attribute("data-shown") == framed

        # Another place is pointed at.
        page.wait_for_function(AT_REST)
        page.locator(READY).press("x")
        page.wait_for_selector("#draw[aria-pressed=true]")
        hit = page.locator("[data-viewer] .place").bounding_box()
        page.mouse.move(hit["x"] + 4, hit["y"] + 4)
        page.mouse.down()
        page.mouse.move(hit["x"] + 20, hit["y"] + 12)
        page.mouse.move(hit["x"] + hit["width"] - 6, hit["y"] + hit["height"] - 4)
        page.mouse.up()
        page.wait_for_function(
            "(before) => document.querySelector('#box').value !== before", arg=framed
        )
        drawn = page.locator("#box").input_value()
        assert re.fullmatch(r"\d+,\d+,\d+,\d+", drawn)
        assert page.locator("[data-viewer]").get_attribute("data-shown") == drawn != framed
        page.wait_for_function("() => document.activeElement.id === 'use-box'")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=most like this place")
        page.locator(".spots li").nth(ON_A_LEAF - 1).wait_for()
        assert page.locator(".spots li").count() == ON_A_LEAF

        # What is found first finds itself.
        first = page.locator(".spot").nth(2).get_attribute("href")
        page.get_by_role("link", name="find more like this").nth(2).click()
        page.wait_for_selector(f'.asked[href="{first}"]')
        assert page.locator(".spot").first.get_attribute("href") == first
        page.close()


def test_words_are_found_without_javascript(open_page, spotted):
    with served(spotted) as home:
        page = open_page(f"{home}/words", java_script_enabled=False)
        page.get_by_label("Find a word").fill("et")
        page.get_by_role("button", name="Find").click()
        page.locator(".spot").nth(1).click()
        page.locator(".viewer img").nth(1).wait_for()
        with page.expect_navigation():
            page.get_by_role("button", name="Find this word").click()
        assert page.locator(".spots li").count() == ON_A_LEAF
        page.close()


def test_hands_are_filtered_while_typing(open_page, home):
    page = open_page(f"{home}/hands")
    before = page.locator(".hand").count()
    page.locator(READY).press("f")
    page.keyboard.type("w0001")
    page.wait_for_selector("text=Show all")
    page.wait_for_function(  # typed slowly, the first letters are looked for alone
        "(before) => { const { length } = document.querySelectorAll('.hand');"
        " return 0 < length && length < before; }",
        arg=before,
    )


def test_decisions_are_taken_without_javascript(open_page, catalogue, page_ids):
    with served(catalogue) as home:
        page = open_page(
            f"{home}/compare?first={page_ids[0]}&second={page_ids[4]}", java_script_enabled=False
        )
        assert page.locator(".viewer img").count() == 2
        page.get_by_role("button", name="Different hands").click()
        assert "Stored" in page.locator(".flash").inner_text()
        page.close()
    assert len(decisions(catalogue)) == 1

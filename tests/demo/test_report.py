"""One page that needs nothing else, has no gap, and takes no text for HTML."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files

import jinja2
import numpy as np
import pytest
from jinja2 import meta

from dgmp.demo.plan import AVERAGE, GMP
from dgmp.demo.report import percent, points, report_page, report_values
from dgmp.evaluation import Difference

HOSTILE = "\"><script>alert('&')</script>"


class Parts(HTMLParser):
    """Addresses and text of a page, and whether its elements close."""

    EMPTY = ("meta", "img", "path", "use", "rect", "br")

    def __init__(self):
        super().__init__()
        self.addresses, self.open, self.text, self.tags = [], [], "", set()

    def handle_starttag(self, tag, attributes):
        self.addresses += [v for k, v in attributes if k in ("src", "href", "xlink:href")]
        self.tags.add(tag)
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.EMPTY:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def parsed(text):
    parts = Parts()
    parts.feed(text)
    return parts


@pytest.fixture(scope="module")
def values(demo):
    return report_values(demo.told)


@pytest.fixture(scope="module")
def text(demo):
    return report_page(demo.told)


def test_the_report_is_one_file_without_external_references(text):
    parts = parsed(text)
    assert parts.open == []
    assert parts.addresses
    assert all(address.startswith(("data:image/png;base64,", "#")) for address in parts.addresses)
    assert "http" not in re.sub(r"base64,[\w+/=]+", "", text)
    assert not parts.tags & {"script", "link", "iframe"}
    assert "@import" not in text
    assert "url(" not in re.sub(r"url\(#\w+\)", "", text)


def test_the_report_has_every_part_of_the_story(demo, text):
    words = parsed(text).text
    for name, scores in demo.told.scores.items():
        assert name in words
        assert f"{100 * scores.map:.1f}" in words
    assert all(name in words for name in demo.told.script_scores.classes)
    assert all(part in words for part in demo.told.seconds)
    assert text.count("<h2>") == 7
    assert text.startswith("<!doctype html>")


def test_text_that_looks_like_html_stays_text(text):
    assert "<b>small</b>" not in text
    assert "&lt;b&gt;small&lt;/b&gt;" in text
    assert "Three writers &amp; no more." in text


def test_a_hostile_page_id_or_writer_stays_text(demo):
    told = demo.told
    page = told.pages[0]
    hostile = replace(page, id=HOSTILE, writer=HOSTILE)
    text = report_page(replace(told, pages=(hostile, *told.pages[1:])))
    assert "script" not in parsed(text).tags
    assert text.count("&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;") == 2


@pytest.mark.parametrize("name", ["numbers", "planted", "training", "test", "scripts", "times"])
def test_a_value_that_is_missing_is_an_error(demo, values, monkeypatch, name):
    others = {each: value for each, value in values.items() if each != name}
    monkeypatch.setattr("dgmp.demo.report.report_values", lambda told: others)
    with pytest.raises(jinja2.UndefinedError, match=name):
        report_page(demo.told)


def test_the_templates_use_every_value_and_no_other(values):
    environment = jinja2.Environment()
    source = (files("dgmp.demo") / "templates" / "report.html").read_text(encoding="utf-8")
    used = meta.find_undeclared_variables(environment.parse(source))
    assert used == set(values)


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.01, 0.2, "this run of GMP is better"),
        (-0.2, -0.01, "this run of GMP is worse"),
        (-0.1, 0.1, "these writers cannot tell the two apart"),
    ],
    ids=["better", "worse", "open"],
)
def test_the_verdict_is_that_of_the_interval(demo, monkeypatch, low, high, words):
    found = Difference((low + high) / 2, low, high, below_zero=0.5, above_zero=0.5)
    monkeypatch.setattr("dgmp.demo.report.compare", lambda *_: {"map": found})
    text = parsed(report_page(demo.told)).text
    assert words in text
    assert points(low) in text


def test_the_rankings_are_of_the_queries_that_gain_and_lose_most(demo, values):
    told = demo.told
    gains = np.subtract(
        told.scores[GMP].item_values["map"], told.scores[AVERAGE].item_values["map"]
    )
    found = values["rankings"]
    assert [one["what"] for one in found] == ["gains", "loses"]
    assert [one["change"] for one in found] == [points(gains.max(), 0), points(gains.min(), 0)]


def test_shares_are_shown_in_percent_and_differences_with_their_sign():
    assert percent(0.1234) == "12.3"
    assert points(-0.1234) == "−12.3"
    assert points(0.5, 0) == "+50"

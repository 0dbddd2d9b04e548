"""Twelve script types, after the classes of CLaMM: what all writers of a script have in common.

A script says which forms of a letter exist, how heads and feet are finished, how the pen is cut and
held, and how far curves are broken. Numbers are the centre around which writers vary; a writer
chooses one of several words, and the first is the most usual.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType


@dataclass(frozen=True)
class Script:
    """A family of ductus. Lengths are in x-heights, angles in degrees."""

    name: str
    forms: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    nib: float = 0.17
    angle: float = 30.0  # of the nib to the writing line
    thin: float = 0.16  # thickness of the nib's edge, as a share of its width
    slant: float = 0.0  # to the right
    width: float = 1.0  # of letters
    space: float = 1.0  # between letters, against the inside of an n
    word: float = 0.62  # between words, next to the letters' own space
    ascender: float = 1.72
    descender: float = -0.62
    height: float = 0.37  # the x-height as a share of the line distance
    broken: float = 0.0
    heads: tuple[str, ...] = ("wedge",)
    ascender_heads: tuple[str, ...] = ("club",)
    feet: tuple[str, ...] = ("turn",)
    descender_feet: tuple[str, ...] = ("none",)
    join: float = 0.0  # how often letters are joined by a hairline
    fuse: float = 0.0  # how often two bows share a stroke
    long_s: str = "medial"  # "medial", "always" or "never"
    round_r: float = 0.0  # after o and other bows
    ligatures: float = 0.0  # st and ct
    ampersand: str = "et"  # the sign for et, besides the word
    abbreviate: float = 0.1
    majuscule: bool = False  # no capitals beside the letters


def _forms(**forms: str) -> Mapping[str, str]:
    return MappingProxyType(forms)


_UNCIAL = Script(
    "Uncial",
    _forms(
        a="a.uncial", d="d.uncial", e="e.uncial", f="f.uncial", g="g.uncial", h="h.uncial",
        l="l.uncial", m="m.uncial", n="n.capital", o="o.wide", r="r.uncial", s="s.uncial",
        t="t.uncial", u="u.uncial u", y="y y.tail", x="x x.tail",
    ),
    nib=0.19, angle=17, thin=0.1, width=1.14, space=0.8, word=0.3, ascender=1.38,
    descender=-0.42, height=0.44, heads=("serif", "wedge", "none"),
    ascender_heads=("serif", "wedge"), feet=("none", "serif"), descender_feet=("taper", "none"),
    long_s="never", abbreviate=0.04, majuscule=True,
)  # fmt: skip

_HALF_UNCIAL = Script(
    "Half-Uncial",
    _forms(
        a="a.open a.one", d="d d.uncial", e="e.uncial e", f="f.low", g="g.flat", l="l.turn",
        n="n n.capital", o="o o.wide", r="r.low r", s="s.low", t="t.round t.uncial", u="u.uncial u",
    ),
    nib=0.18, angle=20, thin=0.13, width=1.1, space=0.86, word=0.42, ascender=1.62,
    descender=-0.5, height=0.4, heads=("wedge", "club"), ascender_heads=("club", "wedge"),
    feet=("turn", "none"), descender_feet=("taper", "none"), long_s="always", abbreviate=0.05,
)  # fmt: skip

_CAROLINE = Script(
    "Caroline",
    _forms(a="a", g="g", d="d d.round", l="l.turn l", t="t t.round", y="y", f="f", x="x x.tail"),
    nib=0.15, angle=32, width=1.06, space=0.95, word=0.5, ascender=1.85, descender=-0.72,
    height=0.34, heads=("wedge", "serif", "none"), ascender_heads=("club", "wedge"),
    feet=("turn", "none"), descender_feet=("taper", "none"), long_s="always", slant=3,
    ligatures=0.5, ampersand="&", abbreviate=0.08,
)  # fmt: skip

_PRAEGOTHICA = replace(
    _CAROLINE,
    name="Praegothica",
    forms=_forms(
        a="a a.closed", d="d d.round", g="g g.closed", l="l", t="t", h="h", f="f", u="u",
        v="v v.round", x="x x.tail",
    ),
    nib=0.19, angle=37, width=0.88, space=0.9, word=0.44, ascender=1.74, descender=-0.6,
    height=0.38, broken=0.4, heads=("serif", "diamond"),
    ascender_heads=("fork", "diamond", "wedge"), feet=("diamond", "turn"),
    descender_feet=("serif", "none"), slant=0, ligatures=0.25, round_r=0.4, long_s="medial",
    abbreviate=0.16,
)  # fmt: skip

_TEXTUALIS = Script(
    "Textualis",
    _forms(
        a="a.closed a", c="c.broken c", d="d.round", g="g.closed", h="h.hook h", i="i i.tick",
        s="s s.back", t="t.tall t", v="v.tall v.round", x="x.tail x", y="y.tail y", z="z",
    ),
    nib=0.22, angle=41, thin=0.13, width=0.78, space=0.88, word=0.38, ascender=1.5,
    descender=-0.46, height=0.43, broken=0.86, heads=("diamond",),
    ascender_heads=("fork", "diamond"), feet=("diamond",), descender_feet=("serif", "none"),
    fuse=0.75, round_r=0.9, abbreviate=0.22,
)  # fmt: skip

_SOUTHERN = replace(
    _TEXTUALIS,
    name="Southern Textualis",
    forms=_forms(
        a="a a.closed", d="d.round", g="g.closed g", h="h.hook", i="i i.tick", s="s",
        t="t", v="v.round", x="x.tail x", y="y.tail", z="z.tail z",
    ),
    nib=0.25, angle=32, width=1.0, space=0.74, word=0.34, ascender=1.46, descender=-0.42,
    height=0.42, broken=0.16, heads=("serif", "diamond"), ascender_heads=("none", "serif"),
    feet=("flat",), descender_feet=("flat",), fuse=0.85,
)  # fmt: skip

_SEMITEXTUALIS = replace(
    _TEXTUALIS,
    name="Semitextualis",
    forms=_forms(
        a="a.one", d="d.round", g="g.closed g.tail", h="h.hook h", i="i.tick i", s="s s.back",
        t="t t.tall", v="v.tall v.round", x="x.tail x", y="y.tail", z="z z.tail", l="l l.turn",
    ),
    nib=0.2, angle=39, width=0.88, space=0.9, word=0.42, ascender=1.56, height=0.4, broken=0.45,
    heads=("diamond", "serif"), ascender_heads=("none", "serif", "diamond"),
    feet=("diamond", "turn"), fuse=0.6, descender_feet=("none", "taper"),
)  # fmt: skip

_CURSIVA = Script(
    "Cursiva",
    _forms(
        a="a.one", b="b.open b", d="d.loop d.round", e="e.loop e", f="f.long", g="g.tail",
        h="h.hook", i="i i.tick", l="l.turn l", o="o", p="p.open p", r="r.fork r", s="s.back s",
        t="t t.tall", v="v.tall v.round", x="x.tail", y="y.tail", z="z.tail", u="u",
    ),
    nib=0.135, angle=43, thin=0.17, slant=7, width=0.92, space=1.0, word=0.5, ascender=1.95,
    descender=-0.85, height=0.31, broken=0.1, heads=("hair", "none"), ascender_heads=("loop",),
    feet=("turn",), descender_feet=("taper",), join=0.85, round_r=0.6, abbreviate=0.2,
)  # fmt: skip

_HYBRIDA = replace(
    _CURSIVA,
    name="Hybrida",
    forms=_forms(
        a="a.one", d="d.round", f="f.long", g="g.tail g.closed", h="h.hook", i="i.tick i",
        s="s.back s", t="t.tall t", v="v.tall", x="x.tail x", y="y.tail", z="z z.tail",
        c="c.broken c",
    ),
    nib=0.21, angle=41, thin=0.14, slant=3, width=0.82, space=0.88, word=0.38, ascender=1.6,
    descender=-0.66, height=0.39, broken=0.74, heads=("diamond",),
    ascender_heads=("none", "diamond"), feet=("diamond",), join=0.0, fuse=0.25,
)  # fmt: skip

_SEMIHYBRIDA = replace(
    _HYBRIDA,
    name="Semihybrida",
    forms=_forms(
        a="a.one", b="b b.open", d="d.round d.loop", e="e e.loop", f="f.long", g="g.tail",
        h="h.hook", i="i.tick i", l="l l.turn", p="p.open p", s="s.back s", t="t t.tall",
        v="v.tall", x="x.tail", y="y.tail", z="z.tail",
    ),
    nib=0.175, angle=41, thin=0.17, slant=5, width=0.88, ascender=1.78, descender=-0.74,
    height=0.35, broken=0.4, heads=("diamond", "hair"), ascender_heads=("loop", "none"),
    feet=("diamond", "turn"), join=0.4,
)  # fmt: skip

_HUMANISTIC = Script(
    "Humanistic",
    _forms(a="a", d="d", g="g", l="l", t="t", v="v", x="x x.tail", i="i i.dot", z="z", u="u"),
    nib=0.135, angle=29, thin=0.15, width=1.06, space=1.02, word=0.58, ascender=1.82,
    descender=-0.74, height=0.34, heads=("serif", "wedge"), ascender_heads=("serif", "wedge"),
    feet=("serif", "turn"), descender_feet=("serif",), ligatures=0.6, ampersand="&",
    abbreviate=0.06,
)  # fmt: skip

_HUMANISTIC_CURSIVE = Script(
    "Humanistic Cursive",
    _forms(
        a="a.one", d="d", e="e.loop e", f="f.long", g="g.tail g", i="i.dot i", l="l.turn l", t="t",
        v="v v.round", x="x.tail x", y="y", z="z z.tail", p="p.open p", h="h", u="u", b="b.open b",
    ),
    nib=0.115, angle=38, thin=0.22, slant=11, width=0.88, space=1.02, word=0.56, ascender=1.9,
    descender=-0.84, height=0.32, heads=("hair", "serif"),
    ascender_heads=("hook", "serif", "wedge"),
    feet=("turn",), descender_feet=("hook", "taper"), join=0.7, ligatures=0.5, ampersand="&",
    abbreviate=0.06,
)  # fmt: skip

SCRIPTS: Mapping[str, Script] = MappingProxyType(
    {
        script.name: script
        for script in (
            _CAROLINE, _CURSIVA, _HALF_UNCIAL, _HUMANISTIC, _HUMANISTIC_CURSIVE, _HYBRIDA,
            _PRAEGOTHICA, _SEMIHYBRIDA, _SEMITEXTUALIS, _SOUTHERN, _TEXTUALIS, _UNCIAL,
        )
    }
)  # fmt: skip

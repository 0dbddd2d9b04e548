"""Figures as sentences that a reader of manuscripts can use."""

from __future__ import annotations

from ..records import Decision

_LIKELY, _UNLIKELY = 0.9, 0.1
_CLEARLY = 100.0  # likelihood ratios beyond are all but certain, and their size says no more


def percent(share: float) -> str:
    """A probability as people write it; never 0 or 100, which nobody knows."""
    return f"{min(max(round(100 * share), 1), 99)} %"


def same_hand(probability: float | None, ratio: float | None, *, enough: bool) -> str:
    """How probable one hand is, and how much the likeness of the two pages says about it."""
    if not enough:
        return "One of the pages has too little writing to say whether one hand wrote both."
    if probability is None or ratio is None:
        return "The describer of this catalogue is not calibrated: there is no probability."
    if probability >= _LIKELY:
        verdict = "Probably one hand"
    elif probability <= _UNLIKELY:
        verdict = "Probably two hands"
    else:
        verdict = "An open question"
    return f"{verdict}: the probability of one hand is {percent(probability)}. {likeness(ratio)}"


def likeness(ratio: float) -> str:
    """A likelihood ratio."""
    one, two = "two pages by one hand", "two pages by different hands"
    first, second = (one, two) if ratio >= 1 else (two, one)
    often = _times(max(ratio, 1 / ratio) if ratio > 0 else _CLEARLY + 1)
    return f"{first[0].upper()}{first[1:]} are as like each other as these {often} {second}."


def alike(cosine: float, likeness: float | None) -> str:
    """The figure that orders pages: the likeness, or the cosine where there is none."""
    return f"cosine {cosine:.2f}" if likeness is None else f"likeness {likeness:.2f}"


def _times(ratio: float) -> str:
    if ratio > _CLEARLY:
        return "more than 100 times as often as"
    return f"{ratio:.0f} times as often as" if ratio >= 9.5 else f"{ratio:.1f} times as often as"


def confidence(value: float, *, decided: bool) -> str:
    """How sure a hand is, in a word."""
    if decided:
        return "confirmed"
    return "sure" if value >= 0.9 else "likely" if value >= 0.6 else "doubtful"


def counted(number: int, what: str) -> str:
    """``1 page``, ``1 200 pages``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}".replace(",", "\N{THIN SPACE}")


def decided(decision: Decision) -> str:
    """What a decision says."""
    first, second = _pages(decision.first), _pages(decision.second)
    if decision.verdict == "same":
        return f"{first} and {second}: one hand" if second else f"{first}: one hand"
    if decision.verdict == "different":
        return f"{first} and {second}: different hands"
    if decision.verdict == "unsure":
        return f"{first} and {second}: cannot say"
    if decision.verdict == "name":
        return f"the hand of {first} is called {decision.name!r}"
    return "a decision was taken back"


def _pages(page_ids: tuple[str, ...]) -> str:
    if len(page_ids) > 2:
        return f"{page_ids[0]} and {len(page_ids) - 1} more"
    return " and ".join(page_ids)

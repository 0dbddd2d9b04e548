"""Which hand has the name that a person once gave to its pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ...records import Decision, Hand


def with_names(hands: Sequence[Hand], decisions: Sequence[Decision]) -> tuple[Hand, ...]:
    """The hands with names and notes; ``decisions`` are those in force, oldest first.

    A name goes with the hand that holds most of the pages it was given to, so never with two. Of
    the names that come to one hand that with most pages there is kept; of several such the newest.
    """
    number = {id: hand.number for hand in hands for id in hand.page_ids}
    best: dict[int, tuple[int, Decision]] = {}
    for decision in decisions:
        held = Counter(number[id] for id in set(decision.first) if id in number)
        if decision.verdict != "name" or not held:
            continue
        hand, pages = min(held.items(), key=lambda item: (-item[1], item[0]))
        if hand not in best or pages >= best[hand][0]:
            best[hand] = pages, decision
    return tuple(
        replace(hand, name=best[hand.number][1].name, note=best[hand.number][1].note)
        if hand.number in best
        else hand
        for hand in hands
    )

"""Text as an embedding of words spells it: lower case, without accents, in one alphabet.

Folding is what palaeographers do when they look a word up: ``ſ`` is s, ``É`` is e, ``æ`` is ae.
Punctuation and signs are not spelled at all; a letter that the alphabet has not is an error that
names it, because to drop it would make another word.
"""

from __future__ import annotations

import unicodedata

from ..errors import DgmpError

LATIN = "abcdefghijklmnopqrstuvwxyz0123456789"  # the 36 unigrams of the published systems
# What Unicode does not take apart by itself.
_LETTERS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l", "ð": "d", "þ": "th", "ı": "i", "ꝛ": "r"}
)


def fold(text: str) -> str:
    """Lower case without accents; long s, ligatures and digraphs as the letters they stand for."""
    apart = unicodedata.normalize("NFKD", text.casefold()).translate(_LETTERS)
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def check_alphabet(alphabet: str) -> None:
    """Refuse an alphabet that is empty, or has a sign twice."""
    twice = sorted({sign for sign in alphabet if alphabet.count(sign) > 1})
    if not alphabet or twice:
        why = f"has {''.join(twice)!r} twice" if twice else "is empty"
        raise DgmpError(f"alphabet {alphabet[:60]!r} {why}; give each letter once")


def spell(text: str, alphabet: str = LATIN) -> str:
    """The letters of a word in the alphabet; a DgmpError names those that it has not.

    A sign that the alphabet has stays as it is; others are folded, and punctuation is left out. So
    an alphabet with ``é`` or capitals keeps them apart.
    """
    spelled: list[str] = []
    strange: list[str] = []
    for sign in unicodedata.normalize("NFC", text):
        for letter in sign if sign in alphabet else fold(sign):
            if letter in alphabet:
                spelled.append(letter)
            elif unicodedata.category(letter)[0] in "LNM":
                strange.append(sign)
    if strange:
        named = ", ".join(repr(sign) for sign in dict.fromkeys(strange))
        raise DgmpError(f"{text!r} has {named}, which the alphabet {alphabet!r} has not")
    if not spelled:
        raise DgmpError(f"{text!r} has no letter of the alphabet {alphabet!r}")
    return "".join(spelled)

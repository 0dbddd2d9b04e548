"""Text that looks like Latin: common words, and stems with endings that never met before.

Nothing is quoted; the stream of words is drawn page by page and belongs to the page, not to the
writer.
"""

from __future__ import annotations

import numpy as np


def _split(words: str) -> list[str]:
    return words.split()


COMMON = _split(
    "et in non est ad qui ut cum de per sed si quod ex ab enim hoc quae esse nec sunt autem etiam "
    "quam pro quia ita deus omnia inter post ante super sub sicut tunc ergo ipse eius nobis vobis "
    "mihi tibi suis illa iste nam aut vel sine contra apud quoque igitur semper nunc iam magis"
)
STEMS = _split(
    "domin fili patr matr reg leg grati glori sapient fid spirit corp vit mund cael terr aqu lum "
    "verb oper tempor nomin homin anim cord popul civit virt iust pecc sanct bon magn mult nov "
    "antiqu veter sext quint prim tert libr script doctr magistr discipul frat soror amic hort "
    "silv flumin port nav bell pac ocul man ped cap vox laud cant ben mal fort dulc brev long "
    "ambul cogit quaer habit iudic monstr narr port put serv spect trad venerab xenod zel hymn "
    "kalend exempl thesaur baptizat byss ioann gent"
)
MIDDLES = _split("at it ab ur ent and ion ill esc itat om end ar ib uer ist")
ENDINGS = _split(
    "us um am ae is os as arum orum ibus em es a o i e it at et unt ant ent itur antur imus amus "
    "are ere ire isse atus ata atum ens ans endo ando ius ior iter"
)

_COMMON_SHARE = 0.36
_MIDDLE_SHARE = 0.28


def latin_words(rng: np.random.Generator, count: int) -> list[str]:
    """Draw ``count`` words in sentences: capitals after a stop, stops as their own signs."""
    kinds = rng.random((count, 4))
    lengths = 5 + rng.integers(0, 9, count)
    words: list[str] = []
    left = 0
    starts = True
    for (kind, stem, middle, ending), length in zip(kinds, lengths, strict=True):
        if kind < _COMMON_SHARE:
            word = COMMON[int(stem * len(COMMON))]
        else:
            word = STEMS[int(stem * len(STEMS))]
            if middle < _MIDDLE_SHARE:
                word += MIDDLES[int(middle / _MIDDLE_SHARE * len(MIDDLES))]
            word += ENDINGS[int(ending * len(ENDINGS))]
        if starts or (middle > 0.96 and kind >= _COMMON_SHARE):
            word = word[0].upper().replace("U", "V") + word[1:]
        if starts:
            left = int(length)
        left -= 1
        starts = left <= 0
        if starts:
            word += "." if ending < 0.7 else ":"
        elif left % 5 == 0 and ending > 0.5:
            word += "·" if ending > 0.75 else "/"
        words.append(word)
    return words

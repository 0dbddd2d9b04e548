"""Text that looks like English: common words, words that are put together, syllables, numbers.

Nothing is quoted, and no corpus was counted. Beginnings, stems and endings are combined at random
and syllables need not exist, so that every letter occurs beside every other and in all places.
"""

from __future__ import annotations

import numpy as np

COMMON = """
the of and to in a is that for it as was with be by on not he i this are or his from at which but
have an had they you were their one all we can her has there been if more when will would who so no
she other its may these what them than some him time into only could new then do any my now such
like our over me even most made after also did many before must through back years where much your
way well down should because each just those people how too little state good very make world still
own see men work long get here between both life being under never day same another know while last
might us great old year off come since against go came right used take three states himself few use
home small place went upon though found large again said until always away something fact less put
think far called asked end part going give given took second let point told hand without side light
water eyes head young things often enough around nothing seen house better among night left best
having received letter answer morning evening present pleasure family friend money paper order duty
honour servant humble obedient dear sir madam captain general country government public business
necessary proper immediately particular several certain farther further concerning according either
neither whether therefore however likewise already almost perhaps together whatever nevertheless
january february march april june july august september october november december monday tuesday
wednesday thursday friday saturday sunday john james william mary george thomas robert edward henry
elizabeth margaret king queen lord lady church school winter summer spring autumn north south east
west horse carriage road river town city street market bread flour beef salt sugar coffee cloth
wool linen shoes coat hundred thousand twenty thirty fifty pounds shillings pence quantity quality
quick brown fox jumps lazy dog vexed wizard quartz jockey zeal hawk wax yoke fjord exact extra
"""
BEGINNINGS = "re un de in con ex dis pre pro com en over out under mis sub trans inter"
STEMS = """
act add agree aim allow appear apply arm ask assist attend bear begin behav believ bring build burn
buy call carr caus chang charg clear clos command complet consider contain continu cover creat cross
danger deal deliver demand depend desir detain differ direct discover doubt draw dress driv dwell
employ enjoy enter escap examin expect explain express fail fall favour feel fight fill find finish
fix follow forc forgiv form furnish gain gather govern grant grow guard guid happen hear help hold
hop hous imagin inform intend invit join journ judg jump keep kill kind know labour land lay lead
learn leav lend lift listen liv look lov maintain mak mark master mean measur mention mind mov
neglect not number obey oblig observ obtain offer open oppos own paint pass pay perform permit pick
plac plain plant play pleas possess possibl pound power prais prepar press prevent promis propos
protect prov provid publish pull punish purchas push quarrel question quit rais reach read reason
receiv recover reduc refus regard remain remark remember remov render repair report request requir
resolv rest return rid rul sav scatter search season secur seem sell send separat serv settl shar
shew shin shoot sleep soften speak spend stand start stay stop strength strik suffer suppl support
suppos surpris talk tast teach tell thank think threaten touch trad travel treat tri trust turn
usual visit wait walk want warm wash watch weigh wish wonder work worth writ yield zeal
"""
ENDINGS = """
s ed ing er ers est ly ful fully less ness ment ments able ably ance ence ant ent ion ions ation
ations ive ity ous ously al ally en ward some ship hood dom ist ism ure age ary ery ish y e
"""
ONSETS = """
b bl br c ch cl cr d dr f fl fr g gl gr h j k kn l m n p ph pl pr qu r s sc sh sk sl sm sn sp st
str sw t th tr tw v w wh wr x y z
"""
VOWELS = "a e i o u a e i o u ai au ay ea ee ei eu ew ey ie io oa oi oo ou ow oy ue ui y"
CODAS = """
b ck ct d f ff ft g gh ght k l ld lf lk ll lm lt m mp n nce nd ng nk nt p pt r rd rk rm rn rs rt s
sh ss st t tch th v w x y z
"""


def english_words(rng: np.random.Generator, count: int, numbers: bool = False) -> list[str]:
    """Draw ``count`` words, some with a capital, a sign after them, or figures if ``numbers``."""
    words = []
    for kind, look, after in rng.random((count, 3)):
        if numbers and kind > 0.97:
            words.append(str(int(10 ** float(rng.uniform(0, 4)))))
            continue
        if kind < 0.6:
            word = _one(rng, COMMON)
        elif kind < 0.8:
            word = _one(rng, BEGINNINGS) if rng.random() < 0.15 else ""
            word += _one(rng, STEMS) + (_one(rng, ENDINGS) if rng.random() < 0.7 else "")
        else:
            word = "".join(_syllable(rng) for _ in range(int(rng.choice([1, 1, 1, 2, 2, 3]))))
        if look < 0.16:
            word = word.capitalize()
        words.append(word + (".,,;:-"[int(after * 40)] if after < 0.15 else ""))
    return words


def _syllable(rng: np.random.Generator) -> str:
    begins, ends = rng.random(2)
    word = _one(rng, ONSETS) if begins < 0.85 else ""
    return word + _one(rng, VOWELS) + (_one(rng, CODAS) if ends < 0.6 else "")


def _one(rng: np.random.Generator, words: str) -> str:
    known = words.split()
    return known[int(rng.integers(len(known)))]

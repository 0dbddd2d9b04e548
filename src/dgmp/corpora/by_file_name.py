"""Official sets whose file names carry the labels: Historical-WI and ICDAR 2013."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace

from ..errors import CorpusError
from ..storage import AnyPath
from .corpus_format import CorpusFormat, Found, Listed, label_each, split_above

# Training pages are called writer-scan-IMG_MAX_number, test pages writer-IMG_MAX_number.
_HISTORICAL_WI = re.compile(r"(\d+)-(?:(\d+)-)?IMG_MAX_(\d+)", re.IGNORECASE)
_ICDAR13 = re.compile(r"(\d{3,4})_(\d{1,2})")


def _list_historical_wi(found: Found) -> Listed:
    pictures = _one_variant(found)
    forms = {bool(m[2]) for p in pictures if (m := _HISTORICAL_WI.fullmatch(p.stem))}

    def labels(root: AnyPath, picture: AnyPath) -> dict[str, str] | None:
        match = _HISTORICAL_WI.fullmatch(picture.stem)
        if not match:
            return None
        known = {"writer": match[1], "scan": match[3], **split_above(root, picture)}
        if len(forms) == 2 and "split" not in known:
            known["split"] = "train" if match[2] else "test"
        return known

    return label_each(replace(found, pictures=pictures), labels, HISTORICAL_WI.name)


def _list_icdar13(found: Found) -> Listed:
    def labels(root: AnyPath, picture: AnyPath) -> dict[str, str] | None:
        match = _ICDAR13.fullmatch(picture.stem)
        if not match:
            return None
        return {"writer": match[1], "scan": match[2], **split_above(root, picture)}

    return label_each(found, labels, ICDAR13.name)


def _one_variant(found: Found) -> list[AnyPath]:
    """Historical-WI comes in colour (JPEG) and binarised (PNG): the same pages twice."""
    root, variant = found.root, found.variant
    chosen: dict[str, list[AnyPath]] = defaultdict(list)
    for picture in found.pictures:
        said = found.relative(picture).lower()
        if re.search(r"binar", said):
            chosen["binarised"].append(picture)
        elif re.search(r"colou?r", said):
            chosen["colour"].append(picture)
        else:
            jpeg = picture.suffix.lower() in (".jpg", ".jpeg")
            chosen["colour" if jpeg else "binarised"].append(picture)
    if variant is not None:
        if variant not in chosen:
            raise CorpusError(f"{root}: has no {variant} pages, only {', '.join(chosen)}")
        return chosen[variant]
    stems = [{picture.stem for picture in group} for group in chosen.values()]
    if len(stems) == 2 and stems[0] & stems[1]:
        raise CorpusError(
            f"{root}: the same pages in colour and binarised; say variant='colour' or "
            "variant='binarised' (--variant), or open the folder of one of them"
        )
    return list(found.pictures)


HISTORICAL_WI = CorpusFormat("Historical-WI, ICDAR 2017", _list_historical_wi, _HISTORICAL_WI)
# Without a pattern: scans of any archive may be called 0012_1.jpg.
ICDAR13 = CorpusFormat("ICDAR 2013", _list_icdar13)

"""At which size a picture is asked for, and the address of that: IIIF Image API 1, 2 and 3."""

from __future__ import annotations

import math
import re
from typing import Any

from .manifests import size_of

# Pages are described with 76 pixels between lines: 40 lines, the most of all but newspapers,
# need 3040. What is larger takes longer to fetch and is made smaller again.
LONGEST = 3200
_VERSION = re.compile(r"iiif\.io/api/image/(\d)|image-api/(1)|ImageService(\d)")
_LEVEL = re.compile(r"level(\d)")

Size = tuple[int, int]


def wanted_size(size: Size) -> Size:
    """The size at which a picture of that size is asked for."""
    scale = min(1.0, LONGEST / max(size))
    return max(round(size[0] * scale), 1), max(round(size[1] * scale), 1)


def picture_address(base: str, info: Any) -> str:
    """The address of the picture of a service, by what its ``info.json`` says.

    A ValueError says what is wrong with it.
    """
    if not isinstance(info, dict):
        raise ValueError("the info.json of the service is none")
    whole = _whole(info)
    version = _version(info)
    if _level(info) == 0 and not _by_width(info):
        size, exact = _listed(info, whole), False
    else:
        size = _bounded(wanted_size(whole), info)
        exact = size == whole
    return f"{base}/full/{_size_text(size, version, exact)}/0/{_quality(version)}.jpg"


def _size_text(size: Size | None, version: int, exact: bool) -> str:
    if size is None or exact:
        return "max" if version >= 3 else "full"
    return f"{size[0]},{size[1]}" if version >= 3 else f"{size[0]},"


def _quality(version: int) -> str:
    return "native" if version == 1 else "default"


def _whole(info: dict[str, Any]) -> Size:
    size = size_of(info)
    if size is None:
        raise ValueError("the info.json of the service has no width and height")
    return size


def _bounded(size: Size, info: dict[str, Any]) -> Size:
    """Not more than the service gives."""
    limits = [rule for rule in (info, *_rules(info)) if isinstance(rule, dict)]
    scale = 1.0
    for limit in limits:
        most_width = limit.get("maxWidth")
        most_height = limit.get("maxHeight") or most_width
        if isinstance(most_width, int) and most_width > 0:
            scale = min(scale, most_width / size[0])
        if isinstance(most_height, int) and most_height > 0:
            scale = min(scale, most_height / size[1])
        most_area = limit.get("maxArea")
        if isinstance(most_area, int) and most_area > 0:
            scale = min(scale, math.sqrt(most_area / (size[0] * size[1])))
    if scale >= 1:
        return size
    return max(int(size[0] * scale), 1), max(int(size[1] * scale), 1)


def _listed(info: dict[str, Any], whole: Size) -> Size | None:
    """Of the sizes that a service without a scaler has: the largest in bounds, else the smallest.

    None: it lists none, and only the whole picture is there.
    """
    listed = info.get("sizes")
    sizes = sorted(
        size for each in (listed if isinstance(listed, list) else []) if (size := size_of(each))
    )
    if not sizes or max(whole) <= LONGEST:
        return None
    fitting = [size for size in sizes if max(size) <= LONGEST]
    return fitting[-1] if fitting else sizes[0]


def _rules(info: dict[str, Any]) -> list[Any]:
    profile = info.get("profile")
    return profile if isinstance(profile, list) else [profile]


def _level(info: dict[str, Any]) -> int:
    for rule in _rules(info):
        if isinstance(rule, str) and (found := _LEVEL.search(rule)):
            return int(found[1])
    return 0


def _by_width(info: dict[str, Any]) -> bool:
    """Whether a service that keeps to no higher level scales nevertheless."""
    rules = [rule.get("supports") for rule in _rules(info) if isinstance(rule, dict)]
    features = [info.get("extraFeatures"), *rules]
    return any(isinstance(each, list) and "sizeByW" in each for each in features)


def _version(info: dict[str, Any]) -> int:
    context = info.get("@context")
    said = [*(context if isinstance(context, list) else [context]), info.get("type"), *_rules(info)]
    for each in said:
        if isinstance(each, str) and (found := _VERSION.search(each)):
            return int(found[1] or found[2] or found[3])
    return 2

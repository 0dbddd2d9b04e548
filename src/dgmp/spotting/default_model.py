"""The word model that comes with ``dgmp[pages]``: its name, and where it lies.

It has learned from synthetic words in some 250 fonts of handwriting (``benchmarks/words.py``).
"""

from __future__ import annotations

from pathlib import Path

from ..names import find_data

DEFAULT = "default"
SHIPPED_WORDS = find_data(Path(__file__).with_name("default_words"))

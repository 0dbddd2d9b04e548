"""Recipes of words: values that make no sense are refused where they are declared."""

from math import inf, nan

import pytest

from dgmp.errors import DgmpError
from dgmp.spotting import WordRecipe
from dgmp.spotting.word_pictures import WordChanges

RECIPE = [
    ("decay_from", -1), ("warmup_steps", -1), ("weight_decay", -1.0), ("weight_decay", nan),
    ("pooling_rate", -1.0), ("pooling_rate", 0.0), ("learning_rate", 0.0), ("learning_rate", nan),
    ("learning_rate", inf), ("final_rate", 0.0), ("final_rate", 2.0), ("balance", 2.0),
    ("validation", 1.0), ("epochs", 0), ("epoch_steps", 0), ("validate_every", 0), ("batch", 1),
]  # fmt: skip
CHANGES = [
    ("points", -5.0), ("points", nan), ("box", -1.0), ("slant", -0.1), ("slant", inf),
    ("thickness", -1.0), ("thickness", 2.0), ("thickness", nan),
]  # fmt: skip
SENSELESS = [(WordRecipe, *row) for row in RECIPE] + [(WordChanges, *row) for row in CHANGES]


@pytest.mark.parametrize(("kind", "name", "value"), SENSELESS)
def test_a_value_without_sense_is_refused_where_it_is_declared(kind, name, value):
    with pytest.raises(DgmpError, match=f"{name} must .*, got {value}"):
        kind(**{name: value})

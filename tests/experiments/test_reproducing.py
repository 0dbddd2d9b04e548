"""Tables by their names."""

import pytest

from dgmp.errors import UnknownName
from dgmp.experiments import TABLES, find_table


def test_every_table_is_found_by_its_name():
    assert [find_table(name).name for name in TABLES] == list(TABLES)


def test_a_table_that_is_not_there_is_refused_with_the_nearest_that_is():
    with pytest.raises(UnknownName, match="no table called 'pooling'; did you mean 'poolings'"):
        find_table("pooling")

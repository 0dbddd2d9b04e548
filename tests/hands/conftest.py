"""Made-up writers whose pages lie around a centre of their own, and their calibration."""

import pytest

from dgmp.hands import fit_calibration

from .writers import described, drawn


@pytest.fixture(scope="session")
def writers_apart():
    """Unit vectors of 60 writers with 1 to 6 pages each, and the writers."""
    return drawn(5, writers=60)


@pytest.fixture(scope="session")
def fitted(writers_apart):
    """The calibration of those writers."""
    vectors, writers = writers_apart
    return fit_calibration(described(vectors), writers, [None] * len(writers), collections=50)


@pytest.fixture(scope="session")
def collection():
    """Pages by 40 other writers."""
    return drawn(11)

"""Made-up writers whose pages lie around a centre of their own, and their calibration."""

import pytest

from dgmp.hands import fit_calibration

from .writers import drawn


@pytest.fixture(scope="session")
def writers_apart():
    """Pages of 60 writers with 1 to 6 pages each, and the writers."""
    return drawn(5, writers=60)


@pytest.fixture(scope="session")
def fitted(writers_apart):
    """The calibration of those writers."""
    pages, writers = writers_apart
    return fit_calibration(pages, writers, [None] * len(writers), collections=40)


@pytest.fixture(scope="session")
def collection():
    """Pages by 40 other writers."""
    return drawn(11)

import secrets

import pytest

from dgmp.storage import ObjectPath


@pytest.fixture
def memory():
    """An empty store in the memory of this process."""
    return ObjectPath.of(f"memory://{secrets.token_hex(4)}")

"""What tests of classes share: the cast."""

import pytest
from tests.web.classes.cast import Cast


@pytest.fixture
def cast(db) -> Cast:
    """Two courses with people in every role."""
    return Cast()

"""What tests of classes share: the cast, and patience."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.web.classes.cast import Cast


@pytest.fixture
def cast(db) -> Cast:
    """Two courses with people in every role."""
    return Cast()


@pytest.fixture(autouse=True)
def patient(settings):
    """On a busy machine an answer may take long; tests of what takes too long shorten it."""
    settings.LIMITS = replace(settings.LIMITS, direct_seconds=600)

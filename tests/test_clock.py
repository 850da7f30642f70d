"""No test depends on the machine's speed."""

from __future__ import annotations

from hypothesis import HealthCheck, settings


def test_hypothesis_has_no_clock():
    assert settings.default.deadline is None
    assert HealthCheck.too_slow in settings.default.suppress_health_check

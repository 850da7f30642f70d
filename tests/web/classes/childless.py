"""Work of the sandbox done in the test's own process: a child takes long, and has tests of its own."""

import json
import os
from collections.abc import Callable
from contextvars import copy_context
from typing import Any

import pytest


@pytest.fixture
def in_a_child() -> None:
    """For the one test of a module that is to have real children, behind their walls."""


@pytest.fixture(autouse=True)
def childless(request, monkeypatch) -> None:
    """Import it into a module, and all its tests but those above do without children and forecasts."""
    if "in_a_child" not in request.fixturenames:
        monkeypatch.setattr("peerage_web.sandbox.parent.run", run_here)
        monkeypatch.setattr("peerage_web.classes.allocation.services.REPEATS", ((1_000_000, 0),))


def run_here(work: Callable[..., Any], *args: Any, **bounds: Any) -> Any:
    """As `parent.run`: what `work` answers, as JSON brings it back; where it went and spoke is undone."""
    here = os.getcwd()
    try:
        return json.loads(json.dumps(copy_context().run(work, *args, on_step=lambda step: None)))
    finally:
        os.chdir(here)

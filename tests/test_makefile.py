"""Two tiers: `make test` leaves out what is marked `full`, `make test-all`, which CI runs, nothing."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
SELECTING = re.compile(r"-[mk] (?:\"[^\"]*\"|\w+)|--(?:deselect|ignore)\S*")


def test_the_tiers_leave_out_what_they_say():
    assert runs_of("test") == [("tests.on_postgres", ['-m "not full"'])]
    assert runs_of("test-all") == [("tests.on_postgres", []), ("pytest", ["-m both"])]
    assert "exec make test-all" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def runs_of(target: str) -> list[tuple[str, list[str]]]:
    """The calls of pytest that a target makes, each with what selects its tests."""
    recipe = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)[1]
    calls = re.findall(r"/python -m (\S+) (.*)", recipe)
    return [(module, SELECTING.findall(options)) for module, options in calls]

"""The benchmark of the service, run at its smallest so that it cannot rot; no time is tested."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

SMALL = ["--visitors", "3", "--pages", "2", "--students", "30", "--workers", "1"]


def test_load_is_measured_without_an_error():
    command = [sys.executable, "-m", "benchmarks.load", *SMALL]

    done = subprocess.run(
        command, capture_output=True, text=True, cwd=Path(__file__).parents[3], timeout=3600
    )

    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines()[2:]]
    assert done.returncode == 0, done.stderr
    assert [(row[0], *row[2:5]) for row in rows] == [
        ("posters, 42 items", "3", "6", "0"),
        ("a class of 30", "3", "6", "0"),
    ]

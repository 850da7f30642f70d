"""The benchmarks of the service, run at their smallest so that they cannot rot; no time is tested."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

SMALL = ["--visitors", "3", "--pages", "2", "--students", "30", "--workers", "1"]


def run(*words: str) -> tuple[subprocess.CompletedProcess[str], list[list[str]]]:
    """The benchmark, and the cells of its table."""
    command = [sys.executable, "-m", *words]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=Path(__file__).parents[3], timeout=3600
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("|")]
    return done, [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:]]


def test_load_is_measured_without_an_error():
    done, rows = run("benchmarks.load", *SMALL)

    assert done.returncode == 0, done.stderr
    assert [(row[0], *row[2:5]) for row in rows] == [
        ("posters, 42 items", "3", "6", "0"),
        ("a class of 30", "3", "6", "0"),
    ]


def test_a_release_is_measured_without_an_error():
    """The eighth student has submitted nothing, and so nothing to rate."""
    small = ["--students", "8", "--reviews", "3", "--within", "1", "--workers", "1"]

    done, rows = run("benchmarks.release", "--database", "sqlite", *small)

    answers = {"course": 8, "assignment": 8, "comments": 8, "rate": 7, "grade": 8, "all": 39}
    assert [(row[0], *row[1:3]) for row in rows] == [(n, str(c), "0") for n, c in answers.items()], (
        done.stdout + done.stderr
    )

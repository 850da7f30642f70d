"""The seeded faults can be seeded: their texts are in the source, and the tests that should notice exist."""

from __future__ import annotations

from pathlib import Path

from tests.faults.__main__ import Fault, faults

ROOT = Path(__file__).parents[1]


def test_every_fault_can_be_seeded():
    assert [problem for fault in faults() for problem in fault.problems()] == []


def test_every_fault_names_tests_that_exist():
    assert [f"{fault.name}: {name}" for fault in faults() for name in missing(fault)] == []


def test_no_two_faults_share_a_name():
    names = [fault.name for fault in faults()]

    assert len(set(names)) == len(names) >= 60


def missing(fault: Fault) -> list[str]:
    """Those of its tests that are not there any more."""
    return [name for name in fault.found_by if not exists(*name.partition("::")[::2])]


def exists(file: str, test: str) -> bool:
    path = ROOT / file
    return path.is_file() and (not test or f"\ndef {test}(" in path.read_text(encoding="utf-8"))

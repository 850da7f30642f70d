"""The seeded faults can be seeded: their texts are in the source, and the tests that should notice exist."""

from pathlib import Path

from tests.faults.__main__ import faults

ROOT = Path(__file__).parents[1]


def exists(test: str) -> bool:
    file, _, name = test.partition("::")
    path = ROOT / file
    return path.is_file() and (not name or f"\ndef {name}(" in path.read_text(encoding="utf-8"))


def test_every_fault_can_be_seeded_and_names_tests_that_exist():
    names = [fault.name for fault in faults()]

    assert len(set(names)) == len(names) >= 60
    assert [problem for fault in faults() for problem in fault.problems()] == []
    assert [
        f"{fault.name}: {test}" for fault in faults() for test in fault.found_by if not exists(test)
    ] == []

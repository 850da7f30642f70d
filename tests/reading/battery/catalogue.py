"""All cases of the battery, by family, and what a reader did with one."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.reading.battery.case import Case
from tests.reading.battery.makers import (
    ballots,
    long_tables,
    matrices,
    own_files,
    pairs,
    platforms,
    workbooks,
)
from tests.reading.battery.truth import difference

import peerage

FAMILIES = {
    "long tables": long_tables, "matrices": matrices, "pairs": pairs, "ballots": ballots,
    "workbooks": workbooks, "platforms": platforms, "own files": own_files,
}  # fmt: skip


def families() -> dict[str, tuple[Case, ...]]:
    return {family: tuple(module.cases()) for family, module in FAMILIES.items()}


@dataclass(frozen=True)
class Outcome:
    """Feedback at once, readings to choose from, or an error alone.

    `wrong` says how feedback is not true; `true` are those readings that are.
    """

    path: Path
    feedback: Any = None
    readings: tuple[Any, ...] = ()
    true: tuple[Any, ...] = ()
    error: str = ""
    wrong: str = ""


def try_case(case: Case, folder: Path) -> Outcome:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / case.filename
    path.write_bytes(case.data)
    try:
        feedback = peerage.read(path)
    except peerage.DataError as error:
        text = " ".join(str(error).replace(str(folder), "").split())
        readings = tuple(getattr(error, "readings", ()))
        true = tuple(reading for reading in readings if not _fault(case, reading.feedback))
        return Outcome(path, readings=readings, true=true, error=text)
    return Outcome(path, feedback, wrong=_fault(case, feedback))


def _fault(case: Case, feedback: Any) -> str:
    return "must never be graded" if case.truth is None else difference(feedback, case.truth)

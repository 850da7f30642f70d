"""What a reader did with a case."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.reading.battery.case import Case
from tests.reading.battery.truth import difference

import peerage


@dataclass(frozen=True)
class Outcome:
    """Feedback at once, readings to choose from, or an error alone; `wrong` says how feedback is not true."""

    path: Path
    feedback: Any = None
    readings: tuple[Any, ...] = ()
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
        return Outcome(path, readings=tuple(getattr(error, "readings", ())), error=text)
    wrong = "must never be graded" if case.truth is None else difference(feedback, case.truth)
    return Outcome(path, feedback, wrong=wrong)

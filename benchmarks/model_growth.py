"""What a class ten times as large costs: python -m benchmarks.model_growth METHOD SMALL_FILE LARGE_FILE

Prints one line of JSON: for every round, the seconds of the small class and of the large one. Machines are
busy at some minutes and idle at others, so every fit of the large class stands between fits of the small one,
in the same process.
"""

from __future__ import annotations

import json
import statistics
import sys
import warnings
from pathlib import Path

from benchmarks.model_cell import Fit, peerage_fit, timed, warmed_up
from benchmarks.model_data import read_class

ROUNDS = 9
ENOUGH = 20.0  # seconds, after which no further round begins
SLOW = 1.0  # seconds for the small class, from which on one fit of it says enough


def rounds(small: Fit, large: Fit) -> list[tuple[float, float]]:
    """Seconds of the small class around each fit of the large one, and of the large one."""
    small()  # compiles what only large classes need
    fits = 5 if timed(small)[0] < SLOW else 1
    if fits > 1:
        large()  # gets its memory
    found, before, spent = [], _typical(small, fits), 0.0
    while len(found) < ROUNDS and spent < ENOUGH:
        seconds = timed(large)[0]
        after = _typical(small, fits)
        found.append(((before + after) / 2, seconds))
        before, spent = after, spent + seconds + fits * after
    return found


def _typical(fit: Fit, fits: int) -> float:
    return statistics.median(timed(fit)[0] for _ in range(fits))


def main(method: str, small: Path, large: Path) -> None:
    warnings.simplefilter("ignore")
    warmed_up(peerage_fit, method, small.parent)
    found = rounds(*(peerage_fit(method, *read_class(path)) for path in (small, large)))
    print(json.dumps({"status": "ok", "rounds": found}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))

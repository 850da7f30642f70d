"""`python -m tests.reading.battery`: what the reader makes of every file, and the totals.

`python -m tests.reading.battery FOLDER` also writes the files there, to look at them.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.reading.battery.case import Case
from tests.reading.battery.catalogue import families
from tests.reading.battery.outcome import Outcome, try_case


def verdict(case: Case, outcome: Outcome) -> str:
    if outcome.feedback is None:
        return "asked" if outcome.readings else "refused"
    return "read wrong" if outcome.wrong else "read right"


def main(folder: Path) -> None:
    totals: dict[str, Counter[str]] = {}
    usual: Counter[str] = Counter()
    for family, cases in families().items():
        totals[family] = Counter()
        for number, case in enumerate(cases):
            outcome = try_case(case, folder / family.replace(" ", "_") / f"{number:03d}")
            said = verdict(case, outcome)
            totals[family][said] += 1
            usual[said] += case.usual
            print(f"{case.name:60.60} {case.filename:15} {'usual' if case.usual else '':6} {said:11}"  # noqa: T201
                  f" {outcome.wrong or outcome.error:.110}")  # fmt: skip
    for family, counts in [*totals.items(), ("all", sum(totals.values(), Counter())), ("usual", usual)]:
        print(f"{family:12} {sum(counts.values()):4}  {dict(sorted(counts.items()))}")  # noqa: T201


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with TemporaryDirectory() as temporary:
            main(Path(temporary))

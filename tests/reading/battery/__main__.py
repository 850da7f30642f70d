"""`python -m tests.reading.battery [FOLDER]`: what the reader makes of every file, and the totals.

The files stay in the FOLDER, to look at them.
"""

import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.reading.battery.catalogue import Outcome, families, try_case


def verdict(outcome: Outcome) -> str:
    if outcome.feedback is None:
        return "asked" if outcome.readings else "refused"
    return "read wrong" if outcome.wrong else "read right"


def main(folder: Path) -> None:
    totals: Counter[tuple[str, str]] = Counter()
    for family, cases in families().items():
        for number, case in enumerate(cases):
            outcome = try_case(case, folder / family.replace(" ", "_") / f"{number:03d}")
            said, usual = verdict(outcome), "usual" if case.usual else ""
            totals.update((group, said) for group in (family, "all", usual) if group)
            print(f"{case.name:60.60} {usual:6} {said:11} {outcome.wrong or outcome.error:.110}")  # noqa: T201
    for (family, said), count in sorted(totals.items()):
        print(f"{family:12} {said:11} {count:4}")  # noqa: T201


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        main(Path(sys.argv[1] if len(sys.argv) > 1 else temporary))

"""Seed faults into the source one at a time, and see whether the tests notice: `python -m tests.faults`.

The faults stand in the TOML files beside this one. Each replaces a piece of source by a wrong one, and names
the tests that are expected to notice (`found_by`) and what noticed it before the tests were made shorter
(`before`). The source is changed in place and restored afterwards: if you mean to work on meanwhile, run this
in a clone of its own, with its own `make install`.

    python -m tests.faults                       every fault, by the tests that should notice it
    python -m tests.faults --tier test           only with tests that `make test` runs
    python -m tests.faults permission lock       faults whose name contains one of these words
    python -m tests.faults --list                names and places
"""

import argparse
import os
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.on_postgres import postgres

ROOT = Path(__file__).parents[2]
KERNELS = "src/**/__pycache__/*.nb[ci]"  # compiled, and the list of what was compiled
TIERS = {"test": ("-m", "not full"), "test-all": ()}
FOUND, MISSED, BROKEN = "found", "MISSED", "CANNOT TELL"
NO_TESTS = 5  # pytest's exit code where the tier has none of the tests


@dataclass(frozen=True)
class Fault:
    """A piece of source, and the wrong one that takes its place."""

    name: str
    why: str
    file: str
    old: str
    new: str
    found_by: list[str]
    before: str = ""
    database: str = "postgresql"
    also: list[dict[str, str]] = field(default_factory=list)  # further pieces of the same fault

    @property
    def pieces(self) -> list[tuple[Path, str, str]]:
        more = [(one["file"], one["old"], one["new"]) for one in self.also]
        return [(ROOT / file, old, new) for file, old, new in [(self.file, self.old, self.new), *more]]

    def problems(self) -> list[str]:
        """Why the fault cannot be seeded, if so."""
        found = []
        for file, old, new in self.pieces:
            count = file.read_text(encoding="utf-8").count(old) if file.is_file() else 0
            if count != 1 or old == new:
                found.append(f"{self.name}: its text is {count} times in {file.relative_to(ROOT)}, not once")
        return found

    @contextmanager
    def seeded(self) -> Iterator[None]:
        with as_it_was([*{file for file, _, _ in self.pieces}, *ROOT.glob(KERNELS)]):
            for file, old, new in self.pieces:
                file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
            yield


@contextmanager
def as_it_was(files: list[Path]) -> Iterator[None]:
    """Put back what was changed meanwhile, times included: kernels are good while their source is as old.

    Their own files are among them, or every fault in a kernel would cost compiling it once more afterwards.
    """
    before = {file: (file.read_bytes(), file.stat()) for file in files}
    try:
        yield
    finally:
        for file, (data, stat) in before.items():
            if not file.exists() or file.stat().st_mtime_ns != stat.st_mtime_ns:
                file.write_bytes(data)
                os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def faults() -> list[Fault]:
    """All of them, in the order of the files."""
    tables = [
        tomllib.loads(file.read_text(encoding="utf-8"))
        for file in sorted(Path(__file__).parent.glob("*.toml"))
    ]
    return [Fault(**one) for table in tables for one in table["fault"]]


def try_fault(fault: Fault, tier: str, database: str) -> tuple[str, str]:
    """Whether the tests noticed, and what pytest said last."""
    options = ["-x", "-q", "-p", "no:cacheprovider", "--no-header", *TIERS[tier], *fault.found_by]
    command = [sys.executable, "-m", "pytest", *options]
    environment = {**os.environ, **({"DATABASE_URL": database} if fault.database == "postgresql" else {})}
    with fault.seeded():
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    said = lines[0] if lines else (done.stdout + done.stderr).strip().splitlines()[-1]
    outcome = {0: MISSED, 1: FOUND, NO_TESTS: MISSED}.get(done.returncode, BROKEN)
    return outcome, said


def main() -> int:
    """One where a fault went unnoticed."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="parts of names; all faults without one")
    parser.add_argument("--tier", choices=TIERS, default="test-all")
    parser.add_argument("--list", action="store_true")
    asked = parser.parse_args()
    chosen = [one for one in faults() if not asked.names or any(name in one.name for name in asked.names)]
    if problems := [problem for one in chosen for problem in one.problems()]:
        print(*problems, sep="\n", file=sys.stderr)
        return 2
    if asked.list:
        print(*(f"{one.name:34} {one.file}: {one.why}" for one in chosen), sep="\n")
        return 0
    outcomes: Counter[str] = Counter()
    with postgres() as database:
        for fault in chosen:
            outcome, said = try_fault(fault, asked.tier, database)
            outcomes[outcome] += 1
            print(f"{outcome:12} {fault.name:34} {said}", flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in outcomes.items()))
    return int(outcomes[FOUND] != len(chosen))


if __name__ == "__main__":
    sys.exit(main())

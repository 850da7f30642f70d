"""Run benchmarks by name, each in a process of its own: python -m benchmarks [NAME ...] [--quick]

`--quick` runs each at a small size: it shows that the scripts work, its figures mean little.
Options of a single benchmark go to its own module: `python -m benchmarks.models --help`.
"""

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
QUICK = {
    "models": ["--quick"],
    "reading": ["100000"],
    "allocation": ["2000"],
    "metrics": [],
    "end_to_end": ["--quick"],
    "cluster": ["--quick"],
}


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of {', '.join(QUICK)}; all by default")
    parser.add_argument("--quick", action="store_true", help="small sizes")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in QUICK]
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]!r}; there are {', '.join(QUICK)}")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = parsed(arguments)
    failed = []
    for name in options.names or QUICK:
        print(f"== {name}", flush=True)
        command = [sys.executable, "-m", f"benchmarks.{name}", *(QUICK[name] if options.quick else [])]
        if subprocess.run(command, cwd=ROOT).returncode:
            failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}")
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())

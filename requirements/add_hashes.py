"""`make requirements`: the pins of requirements/*.txt, with hashes, into requirements/hashed.

People read and change pins, so these stay in files of their own. uv looks up the hashes of all files of a
release, for every platform, in the index that it is configured to use.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from packaging.utils import canonicalize_name
from uv import find_uv_bin

PINS = Path(__file__).parent
HASHED = PINS / "hashed"
NAMES = ("core", "figures", "web", "cluster", "dev", "docs")
COMPILE = "pip compile --quiet --universal --no-deps --generate-hashes --no-annotate"
OLDEST = "--python-version=3.11.5"  # some releases refuse older ones
BLOCK = re.compile(r"^([\w.-]+)==.*(?:\n .*)+\n", re.MULTILINE)
PIN = re.compile(r"^([\w.-]+)==.*\n", re.MULTILINE)


def main() -> None:
    """Write every file anew."""
    files = [str(PINS / f"{name}.txt") for name in NAMES]
    compiled = subprocess.run(
        [find_uv_bin(), *COMPILE.split(), OLDEST, *files], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    blocks = {canonicalize_name(block[1]): block[0] for block in BLOCK.finditer(compiled)}
    HASHED.mkdir(exist_ok=True)
    for name in NAMES:
        pins = (PINS / f"{name}.txt").read_text(encoding="utf-8").partition("\n")[2]
        text = PIN.sub(lambda pin: blocks[canonicalize_name(pin[1])], pins)
        (HASHED / f"{name}.txt").write_text(f"# {name}.txt with hashes: `make requirements`\n{text}", "utf-8")


if __name__ == "__main__":
    main()

"""`python -m peerage_web.sandbox.compile`: compile every kernel now, beside the code.

For an installation that cannot be written to later, such as a container image. Run it as who installs.
"""

import os
import sys
import time
from pathlib import Path

from peerage._numba import compiled_marker
from peerage_web.sandbox.warm import cache_folder, warm


def main() -> None:
    """Compile, and mark it as done where every user of this installation will look."""
    started = time.monotonic()
    ours, theirs = os.pipe()
    warm(theirs)
    os.close(ours)
    folder = cache_folder()
    if folder != Path(__file__).parent / "__pycache__":
        sys.exit(
            f"compiled, but into {folder}: the code's own folder cannot be written, or NUMBA_CACHE_DIR is set"
        )
    compiled_marker().touch()
    sys.stdout.write(f"compiled for this kind of processor in {time.monotonic() - started:.0f} s\n")


if __name__ == "__main__":
    main()

"""Compile what the service needs: `python -m tests.web.kernels`, while the linters leave a processor idle."""

import os

from peerage_web.sandbox.warm import warm


def main() -> None:
    """Into Numba's cache, where the tests find it; they would otherwise wait for it, and for each other."""
    ours, theirs = os.pipe()
    warm(theirs)
    os.close(ours)


if __name__ == "__main__":
    main()

"""Jobs that stay where a test needs them, however fast the machine is.

In the place of the feedback stands a pipe: whoever opens it waits until somebody writes into it.
"""

import os
from pathlib import Path


def hold(file: Path) -> None:
    """A run that opens this file waits, until it is killed."""
    file.rename(_kept(file))
    os.mkfifo(file)


def let_go(file: Path) -> None:
    """The next run finds the file; one that waits already goes on waiting."""
    _kept(file).replace(file)


def _kept(file: Path) -> Path:
    return file.parent.parent / f"kept-{file.name}"

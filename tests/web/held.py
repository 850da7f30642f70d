"""Jobs that stay where a test needs them, however fast the machine is.

In the place of the feedback stands a pipe: whoever opens it waits until somebody writes into it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def hold(file: Path) -> None:
    """A run that opens this file waits, until it is killed or released."""
    file.rename(_beside("kept", file))
    os.mkfifo(_beside("pipe", file))
    os.link(_beside("pipe", file), file)


def let_go(file: Path) -> None:
    """The next run finds the file; one that waits already goes on waiting."""
    _beside("kept", file).replace(file)


def release(file: Path) -> None:
    """A run that waits, or the next one that opens the file, goes on as if nothing had been."""
    data = _beside("kept", file).read_bytes()
    with suppress(BrokenPipeError), _beside("pipe", file).open("wb") as pipe:  # waits for the run
        let_go(file)
        pipe.write(data)


def _beside(word: str, file: Path) -> Path:
    return file.parent.parent / f"{word}-{file.name}"

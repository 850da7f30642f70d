"""The files of a job, and how much may be in them; in `input` what the visitor gave, under its own names."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from peerage._options import use_option_style
from peerage.errors import PeerageError
from peerage_web.sandbox.contract.naming import NAMINGS

MOST = 180  # bytes of a name; file systems take 255
FILE_BYTES = 1 << 30  # of one file that a child writes
WRITTEN_BYTES = 2 << 30  # of everything that a child writes
_UNSAFE = re.compile(r"[\x00-\x1f\x7f/\\:*?\"<>|\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Files:
    """Where a job's files are; roster and anchors may be missing."""

    folder: str
    feedback: str
    roster: str | None = None
    anchors: str | None = None
    origin: str = "page"  # where the visitor is, which decides how messages name options

    def enter(self) -> None:
        """Work from inside the input folder, so that messages name files and options as the visitor does."""
        os.chdir(Path(self.folder) / "input")
        use_option_style(NAMINGS[self.origin])


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much feedback one job may hold; checked where it is read."""

    reviews: int
    list_length: int


class TooLargeError(PeerageError):
    """A good file, but too large for this service; the command line takes it."""


def safe_name(given: str, taken: Collection[str] = (), default: str = "feedback.csv") -> str:
    """A name that cannot lead out of the folder, hide, or meet another file."""
    name = _UNSAFE.sub("_", given.replace("\\", "/").rpartition("/")[2]).strip(" .")
    if not name or name == "-" or set(name) == {"_"}:
        name = default
    stem, dot, ending = name.rpartition(".")
    if dot and len(ending) <= 10:
        name = f"{_cut(stem, MOST - len(ending.encode()) - 1)}.{ending}"
    name = _cut(name, MOST)
    while name in taken:
        name = f"2-{name}"
    return name


def _cut(text: str, most: int) -> str:
    """As many whole characters as fit into so many bytes."""
    return text.encode()[:most].decode(errors="ignore")

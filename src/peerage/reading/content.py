"""What is in a file: read once, so that what is parsed is what is hashed, whatever happens to the file."""

from __future__ import annotations

import glob
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from peerage.errors import DataError

MOST_BYTES = 8 << 30


@dataclass(frozen=True, slots=True)
class Content:
    """The bytes of a file and what messages call it; whatever reads files takes one in place of a path."""

    data: bytes = field(repr=False)
    name: str | None = None

    @property
    def sha256(self) -> str:
        from hashlib import sha256

        return sha256(self.data).hexdigest()


@dataclass(frozen=True, slots=True)
class FileSet:
    """Files that are one table cut into pieces, in the order of their names; read one after the other.

    ``name`` is what messages call them together: the pattern, as a rule.
    """

    name: str
    paths: tuple[str, ...]
    digests: dict[str, str] = field(default_factory=dict, repr=False)  # of what was read, by path
    is_single: bool = False  # one file and no pattern: messages need not tell which file they are about

    @property
    def sha256(self) -> str:
        """The hash of the hashes of all files, in order."""
        from hashlib import sha256

        for path in self.paths:
            if path not in self.digests:
                self.digests[path] = _from_path(path).sha256
        if self.is_single:
            return self.digests[self.paths[0]]
        return sha256("".join(self.digests[path] for path in self.paths).encode()).hexdigest()


def file_set_of(source: Any) -> FileSet | None:
    """The files that a pattern such as `reviews/*.csv` stands for; None where it is no pattern."""
    if not isinstance(source, str | os.PathLike):
        return source if isinstance(source, FileSet) else None
    pattern = os.fspath(source)
    if not glob.has_magic(pattern) or Path(pattern).exists():
        return None
    paths = tuple(sorted(path for path in glob.glob(pattern) if Path(path).is_file()))
    if not paths:
        raise DataError("no file has such a name", source=pattern)
    return FileSet(pattern, paths)


def content_of(source: Any) -> Content:
    """Read a path, "-" for standard input, bytes or an open file; a Content is returned as it is."""
    if isinstance(source, Content):
        return source
    if isinstance(source, bytes | bytearray | memoryview):
        return Content(bytes(source))
    if isinstance(source, str | os.PathLike):
        return _from_path(os.fspath(source))
    if hasattr(source, "read"):
        content = source.read()
        name = getattr(source, "name", None)
        data = content.encode("utf-8") if isinstance(content, str) else bytes(content)
        return Content(data, name if isinstance(name, str) else None)
    msg = f"cannot read from {type(source).__name__}: give a path, bytes, a file or a table"
    raise TypeError(msg)


def _from_path(name: str) -> Content:
    if name == "-":
        return Content(sys.stdin.buffer.read(), "standard input")
    path = Path(name)
    if path.is_file() and path.stat().st_size > MOST_BYTES:
        raise DataError(f"the file is larger than {MOST_BYTES >> 30} GiB", source=name)
    return Content(path.read_bytes(), name)

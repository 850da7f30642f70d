"""What a sandboxed child tells its parent, as JSON: a step, a result, or an error.

Nothing is unpickled that a child has sent, for a hostile file may have taken it over.
"""

from __future__ import annotations

import errno
import json
import struct
import traceback
from pathlib import Path
from typing import Any

from peerage.errors import DataError, DirectionError, MethodError, PeerageError, Problem
from peerage_web.sandbox.contract.errors import BrokenError, NoRoomError, OutOfMemoryError
from peerage_web.sandbox.contract.files import TooLargeError

_KNOWN = {kind.__name__: kind for kind in (MethodError, TooLargeError)}
_DATA = {kind.__name__: kind for kind in (DataError, DirectionError)}
_PARTS = ("rule", "line", "column", "value", "fix")
FRAMES = 12
FULL = (errno.ENOSPC, errno.EDQUOT)
END = struct.Struct("!IQ")  # how a child has ended, and the most memory it had, in kilobytes


def message(**parts: Any) -> bytes:
    """One message."""
    return json.dumps(parts, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass")


def received(data: bytes) -> dict[str, Any]:
    """What :func:`message` made; ValueError where it is none."""
    found = json.loads(data.decode("utf-8", "surrogatepass"))
    if not isinstance(found, dict):
        raise ValueError("a message is an object")
    return found


def described(error: BaseException) -> dict[str, Any]:
    """An error as JSON; of one that nobody foresaw only where it happened."""
    if isinstance(error, DataError):
        problems = [{part: getattr(one, part) for part in _PARTS} for one in error.problems]
        kind = DirectionError.__name__ if isinstance(error, DirectionError) else DataError.__name__
        return {"kind": kind, "problems": problems, "source": error.source, "total": error.total}
    if isinstance(error, MemoryError):
        return {"kind": "MemoryError"}
    if isinstance(error, OSError) and error.errno in FULL:
        return {"kind": "NoRoomError"}
    if isinstance(error, PeerageError):
        return {"kind": type(error).__name__, "text": str(error)}
    return {"kind": "BrokenError", "text": where(error)}


def revived(found: dict[str, Any]) -> Exception:
    """The error again."""
    kind = found.get("kind")
    if kind in _DATA:
        problems = [Problem(**{part: one.get(part) for part in _PARTS}) for one in found["problems"]]
        return _DATA[kind](problems, source=found["source"], total=found["total"])
    if kind == "MemoryError":
        return OutOfMemoryError("the work needed more memory than allowed")
    if kind == "NoRoomError":
        return NoRoomError("the disk of this service is full")
    text = str(found.get("text"))
    return BrokenError(text) if kind == "BrokenError" else _KNOWN.get(str(kind), PeerageError)(text)


def where(error: BaseException) -> str:
    """The kind of error and the lines that led to it."""
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    steps = [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
    return f"{type(error).__name__} at " + " > ".join(steps)

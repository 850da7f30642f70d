"""Work on visitors' files in a process of its own, with bounds. Nothing in here knows Django or the database.

`contract` is what both sides know: plain data. `work` is what runs in the child. The rest is machinery:
`parent` asks for a child and follows it, `processes` keeps the server of this process, `server` forks
children, and `child` is what such a child does.
"""

from peerage_web.sandbox.contract.errors import (
    BrokenError,
    CrashedError,
    KilledError,
    NoRoomError,
    OutOfMemoryError,
    OutOfSpaceError,
    OutOfTimeError,
    SandboxError,
    StoppedError,
)
from peerage_web.sandbox.parent import is_warm, run, warm_up

__all__ = [
    "BrokenError",
    "CrashedError",
    "KilledError",
    "NoRoomError",
    "OutOfMemoryError",
    "OutOfSpaceError",
    "OutOfTimeError",
    "SandboxError",
    "StoppedError",
    "is_warm",
    "run",
    "warm_up",
]

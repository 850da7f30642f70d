"""Why a piece of work could not be finished, for reasons that lie outside of it."""

from __future__ import annotations


class SandboxError(Exception):
    """The work could not be finished, for a reason that lies outside of it."""


class OutOfTimeError(SandboxError):
    """It took longer than allowed."""


class OutOfMemoryError(SandboxError):
    """It needed more memory than allowed."""


class OutOfSpaceError(SandboxError):
    """It wrote more than allowed."""


class CrashedError(SandboxError):
    """The process died."""


class KilledError(SandboxError):
    """Somebody else ended the process, or the server it came from; the work itself is not to blame."""


class NoRoomError(SandboxError):
    """The disk is full."""


class StoppedError(SandboxError):
    """Somebody asked for it to be stopped."""


class BrokenError(SandboxError):
    """Something nobody foresaw; says where, but not with what words: those may hold a visitor's data."""

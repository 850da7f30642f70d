"""Why a service refuses, in words for the visitor."""

from __future__ import annotations


class Refused(Exception):  # noqa: N818 - it is not an error of ours
    """The request cannot be served; the text says why and what to do."""


class Busy(Refused):
    """Too much at once; later it can be served."""

"""Why a service refuses, in words for the visitor."""

from django.db import InterfaceError, OperationalError


class Refused(Exception):  # noqa: N818 - it is not an error of ours
    """The request cannot be served; the text says why and what to do."""


# what a database says that is away, locked or out of room: it passes, and is no bug
DATABASE_AWAY = (OperationalError, InterfaceError)


class Busy(Refused):
    """Too much at once; later it can be served."""

    status = 429  # too much from this visitor
    retry_after = 60  # seconds


class Full(Busy):
    """Too much at once from everybody together."""

    status = 503
    retry_after = 15

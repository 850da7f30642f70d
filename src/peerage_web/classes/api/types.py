"""Kinds of values in requests: what databases and clocks can hold, described for OpenAPI."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Any

from ninja import Schema
from pydantic import AwareDatetime, BeforeValidator, ConfigDict, Field, StringConstraints

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d{1,6})?)?([Zz]|[+-]\d\d:\d\d)")
NO_NUL = r"^[^\x00]*$"
MOST_PEOPLE = 5000  # of a roster sent at once
MOST_ROWS = 500  # of a list, in one answer


def _moment(value: Any) -> Any:
    if not isinstance(value, str) or not _MOMENT.fullmatch(value):
        raise ValueError("must be a date and time with its offset, such as 2027-02-01T23:59:00Z")
    try:
        found = datetime.fromisoformat(value.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("must be a date and time that exist") from None
    if not 2000 <= found.year <= 2199:
        raise ValueError("must be in the years 2000 to 2199")
    return found


Moment = Annotated[AwareDatetime, BeforeValidator(_moment)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=NO_NUL)]
Word = Annotated[str, StringConstraints(max_length=100, pattern=NO_NUL)]
Email = Annotated[str, StringConstraints(min_length=3, max_length=254, pattern=NO_NUL)]


class Asked(Schema):
    """A body: nothing unknown in it, and no text for a number."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Part(Schema):
    """Which part of a list is wanted."""

    limit: int = Field(100, ge=1, le=MOST_ROWS, description="So many at most.")
    offset: int = Field(0, ge=0, le=10**6, description="After so many.")

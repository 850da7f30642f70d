"""Reading JSON bodies: a name that is given twice is a slip, and not decided silently."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpRequest
from ninja.parser import Parser

from peerage_web.api.invalid import FieldsError


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON; FieldsError where it has a name twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise FieldsError([(name, "is given twice") for name in found if names.count(name) > 1])
    return found


class StrictParser(Parser):
    """Ninja's parser, which would take the last of two."""

    def parse_body(self, request: HttpRequest) -> Any:
        """The body as data."""
        return json.loads(request.body, object_pairs_hook=once)

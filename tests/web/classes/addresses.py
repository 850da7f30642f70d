"""Every address of classes, out of the URL configuration itself."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver


@dataclass(frozen=True)
class Address:
    """One pattern: its route, the names in it, and its view."""

    route: str
    name: str
    view: Any

    @property
    def keys(self) -> list[str]:
        return re.findall(r"<(?:\w+:)?(\w+)>", self.route)

    def path(self, **values: Any) -> str:
        return "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda found: str(values[found[1]]), self.route)


# views that stand under the table of permissions
GUARDED = ("peerage_web.classes.", "peerage_web.lti.course_views")


def addresses(part: str | tuple[str, ...] = GUARDED) -> list[Address]:
    return [one for one in _walk(get_resolver(), "") if one.view.__module__.startswith(part)]


def _walk(resolver: URLResolver, before: str) -> Iterator[Address]:
    for entry in resolver.url_patterns:
        route = before + str(entry.pattern)
        if isinstance(entry, URLPattern):
            yield Address(route, entry.name, entry.callback)
        else:
            yield from _walk(entry, route)

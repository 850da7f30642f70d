"""What every page of a class is drawn with."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from peerage_web.classes.rules import Action
from peerage_web.classes.views.access import Here


class May:
    """For templates: `{% if may.edit_course %}` asks the table."""

    def __init__(self, here: Here) -> None:
        self._here = here

    def __getitem__(self, name: str) -> bool:
        """Whether the action of this name may be done here; a name that is none is a mistake, not a no."""
        return self._here.may(Action[name.upper()])


def page(request: HttpRequest, here: Here, template: str, status: int = 200, **context: Any) -> HttpResponse:
    """Render a page with what it may show."""
    whole = {"here": here, "may": May(here), "course": None, "assignment": here.at, **context}
    if here.membership is not None:
        whole["course"] = here.course
    return render(request, f"classes/{template}.html", whole, status=status)


def plain(text: str) -> str:
    """What somebody typed outside of a form, without the character that PostgreSQL refuses."""
    return text.replace("\0", "").strip()[:100]

"""Teams of one assignment."""

from __future__ import annotations

import re

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.queries import readiness
from peerage_web.classes.rules import Action
from peerage_web.classes.services import teams as services
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page, plain
from peerage_web.shared.errors import Refused

_NUMBER = re.compile(r"[0-9]{1,18}")
PER_PAGE = 100  # students, each with a field: a form has room for 200


@allowed(Action.EDIT_TEAMS, "GET", "POST")
def teams(request: HttpRequest, here: Here) -> HttpResponse:
    """Who is in which team: one field per student. What the form does not show stays as it is."""
    students = readiness.students_of(here.assignment).select_related("person")
    shown = Paginator(students, PER_PAGE).get_page(request.GET.get("page"))
    given = services.teams_of(assignment=here.assignment)
    refused = ""
    if request.method == "POST":
        given = _given(request, here, given)
        try:
            services.set_teams(assignment=here.assignment, teams=given, by=here.person)
        except Refused as error:
            refused = str(error)
        else:
            messages.success(request, _("Saved."))
            return redirect(request.get_full_path())
    return page(
        request,
        here,
        "teams",
        422 if refused else 200,
        shown=shown,
        rows=[{"member": one, "team": given.get(one.pk, "")} for one in shown],
        names=sorted({name for name in given.values() if name}),
        refused=refused,
    )


def _given(request: HttpRequest, here: Here, before: dict[int, str]) -> dict[int, str]:
    if "from-groups" in request.POST:
        return services.teams_of_groups(assignment=here.assignment)
    numbers = ((name.removeprefix("team-"), name) for name in request.POST if name.startswith("team-"))
    typed = {int(number): plain(request.POST[name]) for number, name in numbers if _NUMBER.fullmatch(number)}
    return {**before, **typed}

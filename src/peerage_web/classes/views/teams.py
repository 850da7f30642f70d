"""Teams of one assignment."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.queries import readiness
from peerage_web.classes.rules import Action
from peerage_web.classes.services import teams as services
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page
from peerage_web.shared.errors import Refused


@allowed(Action.EDIT_TEAMS, "GET", "POST")
def teams(request: HttpRequest, here: Here) -> HttpResponse:
    """Who is in which team: one field per student."""
    students = list(readiness.students_of(here.assignment).select_related("person"))
    given = services.teams_of(assignment=here.assignment)
    refused = ""
    if request.method == "POST":
        given = _given(request, here, [one.pk for one in students])
        try:
            services.set_teams(assignment=here.assignment, teams=given, by=here.person)
        except Refused as error:
            refused = str(error)
        else:
            messages.success(request, _("Saved."))
            return redirect("assignment-teams", here.course.key, here.assignment.key)
    rows = [{"member": one, "team": given.get(one.pk, "")} for one in students]
    names = sorted({row["team"] for row in rows if row["team"]})
    return page(request, here, "teams", 422 if refused else 200, rows=rows, names=names, refused=refused)


def _given(request: HttpRequest, here: Here, students: list[int]) -> dict[int, str]:
    if "from-groups" in request.POST:
        return services.teams_of_groups(assignment=here.assignment)
    return {number: request.POST.get(f"team-{number}", "") for number in students}

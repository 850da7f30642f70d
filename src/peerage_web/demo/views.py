"""The button on the start page of an instance on one's own machine, and the ways in that it opens."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from peerage_web.classes.words import Phase
from peerage_web.demo.local import is_offered
from peerage_web.demo.services import make_example
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import mark_refusal


@require_POST
def demo(request: HttpRequest) -> HttpResponse:
    """Make an example class; where it is not offered, there is no such page."""
    if not is_offered(request):
        raise Http404
    given = request.POST.get("phase", "")
    phase = Phase(given) if given in Phase.values else Phase.REVIEWING
    try:
        made = make_example(phase=phase, in_teams="in_teams" in request.POST)
    except Refused as error:
        return mark_refusal(render(request, "demo/made.html", {"refused": str(error)}), error)
    return render(request, "demo/made.html", {"made": made, "phase": phase.label})

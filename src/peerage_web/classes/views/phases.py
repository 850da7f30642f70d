"""Moving an assignment on or back."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.rules import Action, action_of_step, may
from peerage_web.classes.services.phases import take_step
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.words import Phase
from peerage_web.shared.errors import Refused


@allowed(Action.MOVE_PHASE, "POST")
def step(request: HttpRequest, here: Here) -> HttpResponse:
    """Take the step that the button names."""
    code = request.POST.get("step", "")
    if not may(action_of_step(code), here.role):
        raise PermissionDenied
    try:
        take_step(assignment=here.assignment, code=code, by=here.person)
    except Refused as error:
        messages.error(request, str(error))
    else:
        now = Phase(here.assignment.phase).label
        messages.success(request, _("The assignment is in the phase “%(phase)s” now.") % {"phase": now})
    return redirect(here.assignment)

"""The wizard: the form of an assignment, a few fields at a time. What is not shown travels along, hidden."""

from __future__ import annotations

from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.forms.assignments import WIZARD, AssignmentForm
from peerage_web.classes.rules import Action
from peerage_web.classes.services.assignments import create_assignment
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.assignments import defaults
from peerage_web.classes.views.page import page
from peerage_web.shared.errors import Refused


@allowed(Action.CREATE_ASSIGNMENT, "GET", "POST")
def wizard(request: HttpRequest, here: Here) -> HttpResponse:
    """One step of it; without script, and nothing is kept before the last."""
    if request.method != "POST":
        return _step(request, here, AssignmentForm(initial=defaults()), 0)
    form = AssignmentForm(request.POST)
    given = request.POST.get("step", "0")
    now = int(given) if given in {str(number) for number in range(len(WIZARD))} else 0
    form.is_valid()
    if "back" in request.POST:
        return _step(request, here, form, max(now - 1, 0))
    if _has_errors(form, now):
        return _step(request, here, form, now, shows_errors=True)
    if now + 1 < len(WIZARD):
        return _step(request, here, form, now + 1)
    return _create(request, here, form)


def _create(request: HttpRequest, here: Here, form: AssignmentForm) -> HttpResponse:
    wrong = next((number for number in range(len(WIZARD)) if _has_errors(form, number)), None)
    if wrong is not None:
        return _step(request, here, form, wrong, shows_errors=True)
    try:
        made = create_assignment(course=here.course, by=here.person, prompts=form.prompts, **form.answers)
    except Refused as error:
        form.add_error(None, str(error))
        return _step(request, here, form, 1, shows_errors=True)  # what can be refused are dates
    messages.success(request, _("This is the assignment. Look at it as a student, then publish it."))
    return redirect(made)


def _has_errors(form: AssignmentForm, number: int) -> bool:
    return any(name in form.errors for name in form.names_of_step(number))


def _step(
    request: HttpRequest, here: Here, form: AssignmentForm, number: int, shows_errors: bool = False
) -> HttpResponse:
    shown = form.names_of_step(number)
    return page(
        request,
        here,
        "assignment_wizard",
        422 if shows_errors else 200,
        form=form,
        number=number,
        steps=[{"title": title, "past": place < number} for place, (title, _fields) in enumerate(WIZARD)],
        title=WIZARD[number][0],
        shown=[form[name] for name in shown],
        hidden=[(name, value) for name in form.fields if name not in shown for value in _values(form, name)],
        shows_errors=shows_errors,
        is_last=number + 1 == len(WIZARD),
    )


def _values(form: AssignmentForm, name: str) -> list[str]:
    """What a hidden field holds, as the form reads it again; several ticks are several fields."""
    given = form[name].value()
    if isinstance(given, datetime):
        return [given.strftime("%Y-%m-%dT%H:%M")]
    if isinstance(given, list | tuple):
        return [str(one) for one in given]
    return ["" if given is None else str(given)]

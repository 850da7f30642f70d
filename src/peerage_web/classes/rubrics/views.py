"""The page on which staff write the rubric."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.access import allowed, page
from peerage_web.classes.permissions import Action
from peerage_web.classes.rubrics import services
from peerage_web.classes.rubrics.forms import CriterionForm, initial_levels, initial_of, usual_levels
from peerage_web.classes.rubrics.queries import criteria_of, is_open
from peerage_web.classes.scope import RequestScope
from peerage_web.shared.errors import Refused


@allowed(Action.EDIT_RUBRIC, "GET", "POST", keeps_typed=True)
def rubric(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """All criteria, and a form for one more."""
    last = here.assignment.rubric.last()
    initial = initial_levels(last) if last is not None else usual_levels()
    form = CriterionForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            services.add_criterion(assignment=here.assignment, by=here.person, draft=form.draft)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Added."))
            return _back(here)
    return _page(request, here, form)


@allowed(Action.EDIT_RUBRIC, "GET", "POST", keeps_typed=True)
def criterion(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Change one."""
    criterion = here.objects["criterion"]
    form = CriterionForm(request.POST or None, initial=initial_of(criterion))
    if request.method == "POST" and form.is_valid():
        try:
            services.change_criterion(criterion=criterion, by=here.person, draft=form.draft)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Saved."))
            return _back(here)
    return _page(request, here, form, criterion=criterion)


@allowed(Action.EDIT_RUBRIC, "POST")
def move_up(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Put one before the one above it."""
    try:
        services.move_up(criterion=here.objects["criterion"], by=here.person)
    except Refused as error:
        messages.error(request, str(error))
    return _back(here)


@allowed(Action.EDIT_RUBRIC, "POST")
def remove(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Take one away."""
    try:
        services.remove_criterion(criterion=here.objects["criterion"], by=here.person)
    except Refused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("Removed."))
    return _back(here)


def _page(request: HttpRequest, here: RequestScope, form: CriterionForm, **context: Any) -> HttpResponse:
    return page(
        request,
        here,
        "rubrics/rubric",
        422 if form.errors else 200,
        form=form,
        criteria=criteria_of(here.assignment),
        is_open=is_open(here.assignment),
        **context,
    )


def _back(here: RequestScope) -> HttpResponse:
    return redirect("rubric", here.course.key, here.assignment.key)

"""The plan: how an assignment is graded."""

from __future__ import annotations

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.forms.grading import PlanForm
from peerage_web.classes.queries.grading.plans import plan_of
from peerage_web.classes.rules import Action
from peerage_web.classes.services.assignments import change_assignment
from peerage_web.classes.services.grading.plans import change_plan
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page
from peerage_web.shared.errors import Refused


@allowed(Action.EDIT_GRADING, "GET", "POST")
def plan(request: HttpRequest, here: Here) -> HttpResponse:
    """Method, scale, letters, weights; appeals and survey have their switches here, too."""
    form = PlanForm.of(plan_of(here.assignment), request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            _save(here, form)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Saved. It holds for the next grading run."))
            return redirect("grading-plan", here.course.key, here.assignment.key)
    return page(request, here, "grading/plan", 422 if form.errors else 200, form=form)


def _save(here: Here, form: PlanForm) -> None:
    with transaction.atomic():  # both, or nothing
        fields = dict(form.cleaned_data)
        change_assignment(
            assignment=here.assignment, by=here.person, review_weight=fields.pop("review_weight")
        )
        change_plan(assignment=here.assignment, by=here.person, **fields)

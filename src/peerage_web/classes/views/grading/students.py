"""What every student gets by a run; and setting one grade by hand."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.forms.grading import OverrideForm
from peerage_web.classes.models import GradingRun, Work
from peerage_web.classes.queries.grading.final import FinalGrade, final_grades
from peerage_web.classes.queries.grading.plans import plan_of
from peerage_web.classes.queries.grading.runs import last_run
from peerage_web.classes.queries.grading.tables import name_of, override_history
from peerage_web.classes.queries.makers import makers_of
from peerage_web.classes.rules import Action
from peerage_web.classes.services.grading.overrides import set_grade, unset_grade
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page
from peerage_web.shared.errors import Refused

PER_PAGE = 50


@allowed(Action.SEE_GRADES)
def students(request: HttpRequest, here: Here) -> HttpResponse:
    """One row per student: work, reviewing, both."""
    run: GradingRun = here.objects["run"]
    if run.drawn_at is None:
        return redirect("grading-run", here.course.key, here.assignment.key, run.key)
    listed = Paginator(final_grades(run), PER_PAGE).get_page(request.GET.get("page"))
    weights = run.plan
    return page(request, here, "grading/students", run=run, listed=listed, weights=weights)


@allowed(Action.OVERRIDE, "GET", "POST")
def override(request: HttpRequest, here: Here) -> HttpResponse:
    """Set the grade of one work by hand, or take that back; every one that ever stood is listed."""
    work: Work = here.objects["work"]
    members = [(one.pk, one.shown_name) for one in makers_of(work).members] if work.team else []
    sent = request.POST if request.method == "POST" and "withdraw" not in request.POST else None
    form = OverrideForm(sent, members=members)
    if request.method == "POST" and "withdraw" in request.POST:
        return _withdraw(request, here, work)
    if sent is not None and form.is_valid():
        try:
            _set(here, work, form)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            text = _("The grade of %(name)s is set by hand.") % {"name": name_of(work)}
            messages.success(request, text)
            return redirect("grading-override", here.course.key, here.assignment.key, work.pk)
    run = last_run(here.assignment)
    context = {
        "form": form,
        "work": work,
        "name": name_of(work),
        "run": run,
        "grade": run.grades.filter(work=work).first() if run is not None else None,
        "history": override_history(work),
        "plan": plan_of(here.assignment),
        "final": _finals(run, work),
    }
    return page(request, here, "grading/override", 422 if form.errors else 200, **context)


def _set(here: Here, work: Work, form: OverrideForm) -> None:
    given = form.cleaned_data
    chosen = given["member"]
    makers = makers_of(work).members
    member = next((one for one in makers if one.pk == chosen), None) if chosen is not None else None
    set_grade(work=work, by=here.person, points=given["points"], reason=given["reason"], membership=member)


def _withdraw(request: HttpRequest, here: Here, work: Work) -> HttpResponse:
    wanted = request.POST.get("withdraw", "")
    for one in override_history(work):
        if str(one.pk) == wanted and one.withdrawn_at is None:
            unset_grade(override=one, by=here.person)
            messages.success(request, _("The grade of the run counts again."))
    return redirect("grading-override", here.course.key, here.assignment.key, work.pk)


def _finals(run: GradingRun | None, work: Work) -> list[FinalGrade]:
    """What those who made it get now."""
    return [one for one in final_grades(run) if one.work == work] if run is not None else []

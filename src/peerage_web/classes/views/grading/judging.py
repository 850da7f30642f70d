"""Staff look at works: where it helps most first, with a grade or an order of their own."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.forms.grading import PointsForm
from peerage_web.classes.models import Work
from peerage_web.classes.queries.grading.plans import plan_of
from peerage_web.classes.queries.grading.tables import WorkRow, works_to_judge
from peerage_web.classes.rules import Action
from peerage_web.classes.services.grading import staff_grades as services
from peerage_web.classes.services.grading.inputs import FEWEST_ANCHORS
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page
from peerage_web.shared.errors import Refused

PER_PAGE = 25
PLACES = 20  # of a staff order
SHOWN = 40  # works offered at once for an order


@allowed(Action.JUDGE_WORKS)
def look(request: HttpRequest, here: Here) -> HttpResponse:
    """Works, those first where a look helps most."""
    return _look_page(request, here)


@allowed(Action.JUDGE_WORKS, "POST", keeps_typed=True)
def grade(request: HttpRequest, here: Here) -> HttpResponse:
    """Say what a work is worth."""
    work: Work = here.objects["work"]
    form = PointsForm(request.POST)
    if not form.is_valid():
        return _look_page(request, here, 422, wrong=work.pk, problem=_first_error(form))
    try:
        services.grade_work(work=work, by=here.person, **form.cleaned_data)
    except Refused as error:
        return _look_page(request, here, 422, wrong=work.pk, problem=str(error))
    messages.success(request, _("Kept. It counts in the next grading run."))
    return redirect("grading-look", here.course.key, here.assignment.key)


def _first_error(form: PointsForm) -> str:
    return str(next(iter(next(iter(form.errors.values())))))


@allowed(Action.JUDGE_WORKS, "POST")
def withdraw(request: HttpRequest, here: Here) -> HttpResponse:
    """Take one's own grade back."""
    try:
        if services.withdraw_grade(work=here.objects["work"], by=here.person):
            messages.success(request, _("Your grade is taken back."))
    except Refused as error:
        messages.error(request, str(error))
    return redirect("grading-look", here.course.key, here.assignment.key)


@allowed(Action.JUDGE_WORKS, "GET", "POST", keeps_typed=True)
def ranking(request: HttpRequest, here: Here) -> HttpResponse:
    """Put some works in order; the order counts as one more list of feedback."""
    problem = ""
    _run, rows = works_to_judge(here.assignment, here.person.pk)
    if request.method == "POST":
        try:
            if "withdraw" in request.POST:
                services.withdraw_ranking(assignment=here.assignment, by=here.person)
                messages.success(request, _("Your order is taken back."))
            else:
                bins = _bins(request, rows)
                services.rank_works(assignment=here.assignment, by=here.person, bins=bins)
                messages.success(request, _("Kept. It counts in the next grading run."))
        except Refused as error:
            problem = str(error)
        else:
            return redirect("grading-ranking", here.course.key, here.assignment.key)
    context = {
        "rows": rows[:SHOWN],
        "left_out": max(0, len(rows) - SHOWN),
        "places": range(1, min(PLACES, len(rows)) + 1),
        "problem": problem,
        "has_order": any(row.place for row in rows),
    }
    return page(request, here, "grading/ranking", 422 if problem else 200, **context)


def _bins(request: HttpRequest, rows: list[WorkRow]) -> list[list[int]]:
    """Places from the form, as somebody chose them; a work that is not on the page keeps its own."""
    places: dict[int, list[int]] = {}
    for row in rows:
        given = request.POST.get(f"place-{row.work.pk}")
        place = row.place if given is None else int(given) if given.isascii() and given.isdigit() else None
        row.place = place
        if place:
            places.setdefault(place, []).append(row.work.pk)
    return [places[place] for place in sorted(places)]


def _look_page(
    request: HttpRequest, here: Here, status: int = 200, wrong: int = 0, problem: str = ""
) -> HttpResponse:
    run, rows = works_to_judge(here.assignment, here.person.pk)
    graded = sum(bool(row.staff) for row in rows)
    context = {
        "run": run,
        "listed": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "graded": graded,
        "missing": max(0, FEWEST_ANCHORS - graded),
        "fewest": FEWEST_ANCHORS,
        "plan": plan_of(here.assignment),
        "wrong": wrong,
        "problem": problem,
        "typed": request.POST if problem else {},
    }
    return page(request, here, "grading/look", status, **context)

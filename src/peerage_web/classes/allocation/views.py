"""Who reviews whom: settings with a preview, the matrix, and import and export as a file."""

from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from peerage_web.classes.access import allowed, page, plain
from peerage_web.classes.allocation import files, services
from peerage_web.classes.allocation import matrix as matrix_queries
from peerage_web.classes.allocation.models import AllocationRun, Review
from peerage_web.classes.allocation.queries import AllocationInput, allocation_input, number_of
from peerage_web.classes.allocation.services import Options, TrialAllocation
from peerage_web.classes.allocation.texts import problem_in_words, quality_in_words
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.enums import Phase
from peerage_web.classes.names import attachment
from peerage_web.classes.permissions import Action
from peerage_web.classes.phases.services import take_step
from peerage_web.classes.reassignment.lists import names_of
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.submissions.models import Submission
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import mark_refusal, refusal_as_message


class AllocationForm(forms.Form):
    """What an allocation is made from; looked at as often as one likes."""

    design = forms.ChoiceField(label=gettext_lazy("Design"), choices=Assignment.Design.choices)
    reviews_per_student = forms.IntegerField(
        label=gettext_lazy("Reviews per student"), min_value=2, max_value=50
    )
    reviews_per_staff = forms.IntegerField(
        label=gettext_lazy("Reviews per staff member"),
        min_value=0,
        max_value=200,
        help_text=gettext_lazy(
            "0 means that staff review nothing or, in the calibrated design, all common submissions."
        ),
    )
    anchors = forms.IntegerField(
        label=gettext_lazy("Common submissions"),
        min_value=1,
        max_value=200,
        help_text=gettext_lazy("Only for the calibrated design."),
    )
    sections = forms.ChoiceField(label=gettext_lazy("Sections"), choices=Assignment.Sections.choices)
    seed = forms.IntegerField(
        label=gettext_lazy("Random seed"),
        min_value=0,
        max_value=2**31 - 1,
        help_text=gettext_lazy(
            "A different number gives a different allocation; the same number gives the same one."
        ),
    )

    ADVANCED = ("design", "reviews_per_staff", "anchors", "seed")  # what few classes change

    @property
    def usual(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in self.ADVANCED]

    @property
    def advanced(self) -> list[forms.BoundField]:
        return [self[name] for name in self.ADVANCED]

    @property
    def opens_advanced(self) -> bool:
        """Whether something there has to be put right."""
        return any(field.errors for field in self.advanced)


class RepairForm(forms.Form):
    """Who gets what no-shows held; the template draws the list of people, which may be long."""

    most_extra = forms.IntegerField(
        label=gettext_lazy("Maximum extra reviews per student"), min_value=0, max_value=5, initial=1
    )
    staff_each = forms.IntegerField(
        label=gettext_lazy("Maximum extra reviews per staff member"), min_value=0, max_value=50, initial=0
    )
    ask_finished = forms.BooleanField(
        label=gettext_lazy("Also assign reviews to students who have submitted their ranking"), required=False
    )
    volunteers = forms.CharField(
        label=gettext_lazy("Volunteers"),
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy(
            "E-mail addresses or student numbers, one per line. These students may get extra reviews."
        ),
    )
    volunteers_each = forms.IntegerField(
        label=gettext_lazy("Maximum extra reviews per volunteer"), min_value=0, max_value=20, initial=2
    )


class AllocationFileForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("File"),
        help_text=gettext_lazy(
            "CSV or Excel with the columns grader and item, like the file you can download here."
        ),
    )


# -- The allocation: choose, look at the library's preview, commit; the matrix of who reviews whom -----


PER_PAGE = 50
RUNS = 20


@allowed(Action.SEE_ALLOCATION)
def allocation(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """What was given out and how good it is; before that the form, and its preview where it is asked for."""
    return _allocation(request, here, request.GET if "preview" in request.GET else None)


@allowed(Action.ALLOCATE, "POST")
def commit(request: HttpRequest, here: RequestScope) -> HttpResponse:
    form = AllocationForm(request.POST)
    if not form.is_valid():
        return _allocation(request, here, request.POST)
    try:
        count = services.commit_allocation(
            assignment=here.assignment,
            options=Options(**form.cleaned_data),
            by=here.person,
            expected=request.POST.get("fingerprint", ""),
        )
    except Refused as error:
        return mark_refusal(_allocation(request, here, request.POST, refused=str(error)), error)
    text = ngettext("%(count)d review was allocated.", "%(count)d reviews were allocated.", count)
    messages.success(request, text % {"count": count})
    if "start" in request.POST and here.may(Action.MOVE_PHASE):
        with refusal_as_message(request):
            take_step(assignment=here.assignment, code="start-reviewing", by=here.person)
            now = Phase(here.assignment.phase).label
            messages.success(request, _("The assignment is now in the phase “%(phase)s”.") % {"phase": now})
    return redirect(here.assignment)


@allowed(Action.ALLOCATE, "POST")
def discard(request: HttpRequest, here: RequestScope) -> HttpResponse:
    try:
        services.discard_allocation(assignment=here.assignment, by=here.person)
    except Refused as error:
        return mark_refusal(_allocation(request, here, None, refused=str(error)), error)
    messages.success(request, _("The allocation was discarded. You can make a new one."))
    return redirect("allocation", here.course.key, here.assignment.key)


def _allocation(request: HttpRequest, here: RequestScope, data: Any, refused: str = "") -> HttpResponse:
    assignment = here.assignment
    is_made = Review.objects.filter(assignment=assignment).exists()
    room = allocation_input(assignment)
    context: dict[str, Any] = {
        "is_made": is_made,
        "refused": refused,
        "submissions": len(room.authors),
        "reviewers": len(room.students),
        "reports": matrix_queries.open_reports(assignment),
    }
    if is_made:
        return page(request, here, "allocation/allocation", **context, runs=_runs(assignment))
    form = AllocationForm(data, initial=asdict(Options.of(assignment)))
    if data is not None and form.is_valid() and here.may(Action.ALLOCATE):
        try:
            trial = services.try_allocation(
                assignment=assignment, options=Options(**form.cleaned_data), by=here.person
            )
        except Refused as error:
            answer = page(
                request, here, "allocation/allocation", form=form, **{**context, "refused": str(error)}
            )
            return mark_refusal(answer, error)
        context |= _preview(assignment, trial, room)
    return page(request, here, "allocation/allocation", 422 if form.errors else 200, form=form, **context)


def _preview(assignment: Assignment, trial: TrialAllocation, room: AllocationInput) -> dict[str, Any]:
    if trial.problem is not None:
        return {"trial": trial, "problems": problem_in_words(trial.problem, _names(trial.problem))}
    quality = {**trial.quality, "forecast": trial.forecast}
    anchors = matrix_queries.submission_names(assignment, trial.anchors) if trial.anchors else {}
    return {
        "trial": trial,
        "sentences": quality_in_words(quality),
        "anchors": sorted(anchors.values()),
        "chosen": asdict(trial.options),
        "by_staff": sum(reviewer.pk in trial.lists for reviewer in room.staff),
    }


def _names(problem: dict[str, Any]) -> dict[str, str]:
    """People and submissions that a problem is about, as staff call them."""
    graders, items = problem.get("graders", ()), problem.get("items", ())
    people = names_of(number_of(grader) for grader in graders)
    submissions = Submission.objects.filter(pk__in=[number_of(item) for item in items])
    authors = {
        submission.pk: matrix_queries.author_name(submission)
        for submission in submissions.select_related("author__person", "team")
    }
    return {
        **{grader: people.get(number_of(grader), "") for grader in graders},
        **{item: authors.get(number_of(item), "") for item in items},
    }


def _runs(assignment: Assignment) -> list[dict[str, Any]]:
    """How it came to be: the first with its figures, and the last changes."""
    runs = AllocationRun.objects.filter(assignment=assignment).select_related("made_by")
    first = runs.filter(kind__in=(AllocationRun.Kind.FIRST, AllocationRun.Kind.BY_HAND))[:1]
    later = [run for run in runs.order_by("-made_at", "-pk")[:RUNS] if run not in first]
    return [
        {"run": run, "sentences": quality_in_words(run.quality) if run in first else []}
        for run in (*first, *later)
    ]


# -- the matrix ----------------------------------------------------------------------------------------------


@allowed(Action.SEE_ALLOCATION)
def matrix(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Who reviews whom and how far they are: a grid for small classes, pages of lists for all."""
    chosen = {name: plain(request.GET.get(name, "")) for name in ("by", "search", "only")}
    by_submission = chosen["by"] == "submission"
    shown: Any
    if by_submission:
        submissions = matrix_queries.submissions_of(here.assignment, chosen["search"])
        shown = Paginator(submissions, PER_PAGE).get_page(request.GET.get("page"))
        rows = matrix_queries.rows_by_submission(here.assignment, list(shown))
        names = names_of(entry.reviewer for row in rows for entry in row.entries)
    else:
        people = matrix_queries.reviewers_of(
            here.assignment, chosen["search"], chosen["only"] == "unfinished"
        )
        shown = Paginator(people, PER_PAGE).get_page(request.GET.get("page"))
        rows = matrix_queries.rows_by_reviewer(here.assignment, list(shown))
        names = matrix_queries.submission_names(
            here.assignment, {entry.submission for row in rows for entry in row.entries}
        )
    return page(
        request,
        here,
        "allocation/matrix",
        shown=shown,
        rows=rows,
        names=names,
        by_submission=by_submission,
        chosen=chosen,
        chosen_query=urlencode({name: value for name, value in chosen.items() if value}),
        grid=_grid(here.assignment) if chosen["by"] == "grid" else None,
    )


def _grid(assignment: Assignment) -> dict[str, Any] | None:
    """Reviewers down, submissions across; None where the class is too large for that."""
    people = list(matrix_queries.reviewers_of(assignment)[: matrix_queries.SMALL + 1])
    submissions = list(matrix_queries.submissions_of(assignment)[: matrix_queries.SMALL + 1])
    if max(len(people), len(submissions)) > matrix_queries.SMALL:
        return {"columns": [], "rows": []}
    room = allocation_input(assignment)
    own = {reviewer.pk: reviewer.submission for reviewer in (*room.students, *room.staff)}
    rows = []
    for row in matrix_queries.rows_by_reviewer(assignment, people):
        at = {entry.submission: entry for entry in row.entries}
        cells = [
            {"entry": at.get(submission.pk), "own": own.get(row.key) == submission.pk}
            for submission in submissions
        ]
        rows.append({"name": row.name, "cells": cells})
    columns = [
        {"number": n, "name": matrix_queries.author_name(submission)}
        for n, submission in enumerate(submissions, start=1)
    ]
    return {"columns": columns, "rows": rows}


# -- Who reviews whom as a file: out, and in with a preview --------------------------------------------


SHOWN = 200


@allowed(Action.SEE_ALLOCATION)
def download_file(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """The matrix as CSV, with names: for staff."""
    content = files.allocation_file(assignment=here.assignment)
    headers = attachment(here.assignment, "allocation", "csv")
    return HttpResponse(content, content_type="text/csv; charset=utf-8", headers=headers)


@allowed(Action.CHANGE_ALLOCATION, "POST")
def import_file(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """What a file would change; nothing does yet."""
    form = AllocationFileForm(request.POST, request.FILES)
    if not form.is_valid():
        messages.error(request, _("Choose a file first."))
        return redirect("allocation", here.course.key, here.assignment.key)
    try:
        words = files.read_upload(upload=form.cleaned_data["file"], by=here.person)
    except Refused as error:
        return mark_refusal(page(request, here, "allocation/import", refused=str(error)), error)
    changes = files.changes_of(assignment=here.assignment, words=words)
    status = 422 if changes.errors else 200
    return page(
        request,
        here,
        "allocation/import",
        status,
        changes=changes,
        errors=changes.errors,
        added=_named(here.assignment, changes.add[:SHOWN]),
        removed=_named(here.assignment, changes.remove[:SHOWN]),
        kept=""
        if changes.errors
        else files.keep(assignment=here.assignment, changes=changes, by=here.person),
    )


@allowed(Action.CHANGE_ALLOCATION, "POST")
def commit_import(request: HttpRequest, here: RequestScope) -> HttpResponse:
    try:
        changes = files.commit_file(
            assignment=here.assignment, kept=request.POST.get("kept", ""), by=here.person
        )
    except Refused as error:
        return mark_refusal(page(request, here, "allocation/import", refused=str(error)), error)
    text = _("Allocation changed: %(added)d added, %(removed)d removed.")
    messages.success(request, text % {"added": len(changes.add), "removed": len(changes.remove)})
    return redirect("allocation-matrix", here.course.key, here.assignment.key)


def _named(assignment: Assignment, pairs: list[tuple[int, int]]) -> list[tuple[str, str]]:
    people = names_of(who for who, _submission in pairs)
    submissions = matrix_queries.submission_names(assignment, {submission for _who, submission in pairs})
    return [(people.get(who, ""), submissions.get(submission, "")) for who, submission in pairs]

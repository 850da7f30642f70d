"""The allocation: choose, look at the library's preview, commit; the matrix of who reviews whom."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import ngettext

from peerage_web.classes.allocation_words import problem_in_words, quality_in_words
from peerage_web.classes.forms.allocation import AllocationForm
from peerage_web.classes.models import AllocationRun, Assignment, Review, Work
from peerage_web.classes.queries import matrix as queries
from peerage_web.classes.queries.allocation import Room, number_of, room_of
from peerage_web.classes.rules import Action
from peerage_web.classes.services import allocation as services
from peerage_web.classes.services.allocation import Found, Options
from peerage_web.classes.services.replacing import names_of
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page, plain
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import mark_refusal

PER_PAGE = 50
RUNS = 20


@allowed(Action.SEE_ALLOCATION)
def allocation(request: HttpRequest, here: Here) -> HttpResponse:
    """What was given out and how good it is; before that the form, and its preview where it is asked for."""
    return _allocation(request, here, request.GET if "preview" in request.GET else None)


@allowed(Action.ALLOCATE, "POST")
def commit(request: HttpRequest, here: Here) -> HttpResponse:
    """Give out what the preview showed."""
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
    return redirect(here.assignment)


def _allocation(request: HttpRequest, here: Here, given: Any, refused: str = "") -> HttpResponse:
    one = here.assignment
    is_made = Review.objects.filter(assignment=one).exists()
    room = room_of(one)
    context: dict[str, Any] = {
        "is_made": is_made,
        "refused": refused,
        "works": len(room.makers),
        "reviewers": len(room.students),
        "reports": queries.open_reports(one),
    }
    if is_made:
        return page(request, here, "allocation", **context, runs=_runs(one))
    form = AllocationForm(given, initial=asdict(Options.of(one)))
    if given is not None and form.is_valid() and here.may(Action.ALLOCATE):
        try:
            found = services.try_allocation(
                assignment=one, options=Options(**form.cleaned_data), by=here.person
            )
        except Refused as error:
            answer = page(request, here, "allocation", form=form, **{**context, "refused": str(error)})
            return mark_refusal(answer, error)
        context |= _preview(one, found, room)
    return page(request, here, "allocation", 422 if form.errors else 200, form=form, **context)


def _preview(assignment: Assignment, found: Found, room: Room) -> dict[str, Any]:
    if found.problem is not None:
        return {"found": found, "problems": problem_in_words(found.problem, _names(found.problem))}
    quality = {**found.quality, "forecast": found.forecast}
    anchors = queries.work_names(assignment, found.anchors) if found.anchors else {}
    return {
        "found": found,
        "sentences": quality_in_words(quality),
        "anchors": sorted(anchors.values()),
        "chosen": asdict(found.options),
        "by_staff": sum(one.pk in found.lists for one in room.staff),
    }


def _names(problem: dict[str, Any]) -> dict[str, str]:
    """People and works that a problem is about, as staff call them."""
    graders, items = problem.get("graders", ()), problem.get("items", ())
    people = names_of(number_of(one) for one in graders)
    works = Work.objects.filter(pk__in=[number_of(one) for one in items])
    makers = {one.pk: queries.maker_name(one) for one in works.select_related("author__person", "team")}
    return {
        **{one: people.get(number_of(one), "") for one in graders},
        **{one: makers.get(number_of(one), "") for one in items},
    }


def _runs(assignment: Assignment) -> list[dict[str, Any]]:
    """How it came to be: the first with its figures, and the last changes."""
    runs = AllocationRun.objects.filter(assignment=assignment).select_related("made_by")
    first = runs.filter(kind__in=(AllocationRun.Kind.FIRST, AllocationRun.Kind.BY_HAND))[:1]
    later = [one for one in runs.order_by("-made_at", "-pk")[:RUNS] if one not in first]
    return [
        {"run": one, "sentences": quality_in_words(one.quality) if one in first else []}
        for one in (*first, *later)
    ]


# -- the matrix ----------------------------------------------------------------------------------------------


@allowed(Action.SEE_ALLOCATION)
def matrix(request: HttpRequest, here: Here) -> HttpResponse:
    """Who reviews whom and how far they are: a grid for small classes, pages of lists for all."""
    chosen = {name: plain(request.GET.get(name, "")) for name in ("by", "search", "only")}
    by_work = chosen["by"] == "work"
    shown: Any
    if by_work:
        works = queries.works_of(here.assignment, chosen["search"])
        shown = Paginator(works, PER_PAGE).get_page(request.GET.get("page"))
        rows = queries.rows_by_work(here.assignment, list(shown))
        names = names_of(entry.reviewer for row in rows for entry in row.entries)
    else:
        people = queries.reviewers_of(here.assignment, chosen["search"], chosen["only"] == "unfinished")
        shown = Paginator(people, PER_PAGE).get_page(request.GET.get("page"))
        rows = queries.rows_by_reviewer(here.assignment, list(shown))
        names = queries.work_names(here.assignment, {entry.work for row in rows for entry in row.entries})
    return page(
        request,
        here,
        "allocation_matrix",
        shown=shown,
        rows=rows,
        names=names,
        by_work=by_work,
        chosen=chosen,
        chosen_query=urlencode({name: value for name, value in chosen.items() if value}),
        grid=_grid(here.assignment) if chosen["by"] == "grid" else None,
    )


def _grid(assignment: Assignment) -> dict[str, Any] | None:
    """Reviewers down, works across; None where the class is too large for that."""
    people = list(queries.reviewers_of(assignment)[: queries.SMALL + 1])
    works = list(queries.works_of(assignment)[: queries.SMALL + 1])
    if max(len(people), len(works)) > queries.SMALL:
        return {"columns": [], "rows": []}
    room = room_of(assignment)
    own = {one.pk: one.work for one in (*room.students, *room.staff)}
    rows = []
    for row in queries.rows_by_reviewer(assignment, people):
        at = {entry.work: entry for entry in row.entries}
        cells = [{"entry": at.get(work.pk), "own": own.get(row.key) == work.pk} for work in works]
        rows.append({"name": row.name, "cells": cells})
    columns = [{"number": n, "name": queries.maker_name(work)} for n, work in enumerate(works, start=1)]
    return {"columns": columns, "rows": rows}

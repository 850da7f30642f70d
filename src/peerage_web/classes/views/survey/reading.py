"""What was answered, for staff: the answers, sorting them, what all of that says, and the file."""

from __future__ import annotations

from typing import Any

import polars as pl
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from peerage.writing.spreadsheet import neutralise
from peerage_web.classes.queries.survey import answers, coding
from peerage_web.classes.queries.survey.file import answer_rows
from peerage_web.classes.queries.survey.state import asked, has_looked, staff_state
from peerage_web.classes.rules import Action
from peerage_web.classes.services.survey import coding as services
from peerage_web.classes.survey_words import CATEGORIES, CHOICES, GIVEN, RECEIVED, short
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page
from peerage_web.shared.errors import Refused

PER_PAGE = 10
SMALL = 20  # students, below which a cell of the table often stands for one of them


@allowed(Action.SEE_SURVEY)
def staff(request: HttpRequest, here: Here) -> HttpResponse:
    """Where the survey stands, and what was answered once it can be read."""
    return page(
        request,
        here,
        "survey/staff",
        state=staff_state(here.assignment),
        answered=answers.answered_questions(here.assignment),
        progress=coding.own_progress(here.assignment, here.person),
        has_looked=has_looked(here.assignment, here.person),
    )


@allowed(Action.CODE_SURVEY, "GET", "POST")
def code(request: HttpRequest, here: Here) -> HttpResponse:
    """Sort answers to one question into categories, a few at a time."""
    question = here.objects["question"]
    if request.method == "POST":
        try:
            services.save_codes(question=question, by=here.person, codes=_sent(request))
        except Refused as error:
            messages.error(request, str(error))
        else:
            return _onward(request, here)
        return redirect("survey-code", here.course.key, here.assignment.key, question.pk)
    known = coding.own_codes(question, here.person)
    listed = Paginator(answers.answers_to(question), PER_PAGE).get_page(request.GET.get("page"))
    return page(
        request,
        here,
        "survey/code",
        asked=asked(question),
        listed=listed,
        rows=[_row(one, known.get(one.key, "")) for one in listed],
        categories=list(CATEGORIES.get(question.code, {}).items()),
        first=listed.start_index(),
        coded=len(known),
        has_looked=has_looked(here.assignment, here.person),
    )


def _row(answer: Any, category: str) -> dict[str, Any]:
    choice = CHOICES.get(answer.choice, answer.choice)
    return {"key": answer.key, "choice": choice, "text": answer.text, "category": category}


def _sent(request: HttpRequest) -> dict[str, str]:
    return {
        name.removeprefix("code-"): value
        for name, value in request.POST.items()
        if name.startswith("code-") and isinstance(value, str) and value
    }


def _onward(request: HttpRequest, here: Here) -> HttpResponse:
    """To the first page with something left to sort; home when nothing is."""
    question = here.objects["question"]
    keys = list(answers.answers_to(question).values_list("key", flat=True))
    known = coding.own_codes(question, here.person)
    left = [place for place, key in enumerate(keys) if key not in known]
    if not left:
        messages.success(request, _("You have sorted all answers to this question."))
        return redirect("survey-staff", here.course.key, here.assignment.key)
    text = ngettext("Saved. %(count)d answer is left.", "Saved. %(count)d answers are left.", len(left))
    messages.success(request, text % {"count": len(left)})
    answer = redirect("survey-code", here.course.key, here.assignment.key, question.pk)
    answer["Location"] += f"?page={left[0] // PER_PAGE + 1}"
    return answer


@allowed(Action.CODE_SURVEY, "POST")
def look(request: HttpRequest, here: Here) -> HttpResponse:
    """See how everybody sorted, and sort no more."""
    try:
        services.look(assignment=here.assignment, by=here.person)
    except Refused as error:
        messages.error(request, str(error))
        return redirect("survey-staff", here.course.key, here.assignment.key)
    return redirect("survey-results", here.course.key, here.assignment.key)


@allowed(Action.SEE_SURVEY)
def results(request: HttpRequest, here: Here) -> HttpResponse:
    """Agreement and the cross table, for who no longer sorts; for others the way there."""
    looked = has_looked(here.assignment, here.person)
    found = coding.results_of(here.assignment) if looked else None
    return page(
        request,
        here,
        "survey/results",
        has_looked=looked,
        readable=answers.readable(here.assignment),
        progress=coding.own_progress(here.assignment, here.person),
        results=found,
        table=_table(found) if found is not None else None,
        single=_single(found) if found is not None else None,
        legend=[(short(code, one), words) for code in CATEGORIES for one, words in CATEGORIES[code].items()],
    )


def _table(found: coding.Results) -> dict[str, Any] | None:
    """As in the paper: what was said about giving in rows, about getting in columns."""
    if found.table is None:
        return None
    rows = [
        {"name": short(GIVEN, one), "cells": [float(cell) for cell in cells], "total": float(total)}
        for one, cells, total in zip(
            CATEGORIES[GIVEN], found.table.percent, found.table.row_totals, strict=True
        )
    ]
    return {
        "heads": [short(RECEIVED, one) for one in CATEGORIES[RECEIVED]],
        "rows": rows,
        "totals": [float(one) for one in found.table.column_totals],
        "people": found.table.people,
        "is_small": found.table.people < SMALL,
    }


def _single(found: coding.Results) -> list[tuple[str, Any, float]] | None:
    if found.single is None:
        return None
    code, percentages = found.single
    words = CATEGORIES[code].items()
    return [(short(code, one), text, share) for (one, text), share in zip(words, percentages, strict=True)]


@allowed(Action.SEE_SURVEY)
def file(request: HttpRequest, here: Here) -> HttpResponse:
    """All answers as CSV, without names and in no order; empty as long as they cannot be read."""
    rows = answer_rows(here.assignment, here.person)
    frame = pl.DataFrame(rows, infer_schema_length=None) if rows else pl.DataFrame({"question": []})
    name = f"survey-{slugify(here.assignment.title) or here.assignment.key}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    text = "\ufeff" + neutralise(frame).write_csv()
    return HttpResponse(text, content_type="text/csv; charset=utf-8", headers=headers)

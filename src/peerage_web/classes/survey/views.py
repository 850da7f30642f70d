"""The survey: the page of students, its questions, and the answers as staff read and categorise them."""

from typing import Any

import polars as pl
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from peerage.writing.spreadsheet import neutralise
from peerage_web.classes.access import allowed, page
from peerage_web.classes.names import attachment
from peerage_web.classes.permissions import Action
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.submissions.names import names_in
from peerage_web.classes.survey import coding, services
from peerage_web.classes.survey import queries as answers
from peerage_web.classes.survey.forms import AnswersForm, QuestionForm
from peerage_web.classes.survey.queries import (
    CATEGORIES,
    CHOICES,
    FEWEST,
    GIVEN,
    RECEIVED,
    answer_rows,
    asked,
    has_seen_results,
    is_asked,
    is_closed,
    own_answers,
    questions_of,
    short,
    staff_state,
)
from peerage_web.classes.survey.services import begin, close_survey, save_answers
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import refusal_as_message, refusal_on


@allowed(Action.ANSWER_SURVEY, "GET", "POST", keeps_typed=True)
def survey(request: HttpRequest, here: RequestScope) -> HttpResponse:
    begin(here.assignment)
    answers = own_answers(here.assignment, here.member)
    form = AnswersForm(questions_of(here.assignment), request.POST or None, answers=answers)
    if request.method == "POST" and form.is_valid():
        with refusal_as_message(request):
            save_answers(assignment=here.assignment, member=here.member, answers=form.answers)
            _thank(request, here, form, {answer.text for answer in answers.values()})
        return redirect("survey", here.course.key, here.assignment.key)
    return page(
        request,
        here,
        "survey/answer",
        422 if form.errors else 200,
        form=form,
        is_asked=is_asked(here.assignment),
        is_closed=is_closed(here.assignment),
        fewest=FEWEST,
    )


def _thank(request: HttpRequest, here: RequestScope, form: AnswersForm, before: set[str]) -> None:
    messages.success(request, _("Thank you. Your answers are saved."))
    texts = [answer.text for answer in form.answers.values() if answer.text not in before]
    if names := names_in(texts, here.assignment, here.member):
        text = _("Your answers contain names (%(names)s). Readers may guess who wrote them.")
        messages.warning(request, text % {"names": ", ".join(names)})


# -- What the survey asks, as staff decide it; and closing it ------------------------------------------


@allowed(Action.EDIT_SURVEY, "GET", "POST")
def questions(request: HttpRequest, here: RequestScope) -> HttpResponse:
    services.begin(here.assignment)
    form = QuestionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with refusal_on(form):
            services.add_question(assignment=here.assignment, by=here.person, **form.cleaned_data)
            messages.success(request, _("Added."))
            return _back(here)
    return page(
        request,
        here,
        "survey/questions",
        422 if form.errors else 200,
        form=form,
        questions=[asked(question) for question in here.assignment.survey_questions.all()],
        state=staff_state(here.assignment),
    )


@allowed(Action.EDIT_SURVEY, "POST")
def remove(request: HttpRequest, here: RequestScope) -> HttpResponse:
    with refusal_as_message(request):
        services.remove_question(question=here.objects["question"], by=here.person)
        messages.success(request, _("The question is no longer asked."))
    return _back(here)


@allowed(Action.EDIT_SURVEY, "POST")
def again(request: HttpRequest, here: RequestScope) -> HttpResponse:
    with refusal_as_message(request):
        services.ask_again(question=here.objects["question"], by=here.person)
        messages.success(request, _("The question is asked again."))
    return _back(here)


@allowed(Action.EDIT_SURVEY, "POST")
def switch(request: HttpRequest, here: RequestScope) -> HttpResponse:
    on = request.POST.get("on") == "yes"
    services.switch(assignment=here.assignment, by=here.person, on=on)
    messages.success(request, _("The survey is on.") if on else _("The survey is off."))
    return _back(here)


@allowed(Action.EDIT_SURVEY, "POST")
def close(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Close the survey for good; the tick says that it is meant."""
    if "sure" not in request.POST:
        messages.error(request, _("Tick the box to confirm. This cannot be undone."))
        return _back(here)
    try:
        close_survey(assignment=here.assignment, by=here.person)
    except Refused as error:
        messages.error(request, str(error))
        return _back(here)
    messages.success(request, _("The survey is closed. Its answers are no longer linked to names."))
    return redirect("survey-staff", here.course.key, here.assignment.key)


def _back(here: RequestScope) -> HttpResponse:
    return redirect("survey-questions", here.course.key, here.assignment.key)


# -- What was answered, for staff: the answers, sorting them, what all of that says, and the file ------


PER_PAGE = 10
SMALL = 20  # students, below which a cell of the table often stands for one of them


@allowed(Action.SEE_SURVEY)
def staff(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Where the survey stands, and what was answered once it can be read."""
    return page(
        request,
        here,
        "survey/staff",
        state=staff_state(here.assignment),
        answered=answers.answered_questions(here.assignment),
        progress=coding.own_progress(here.assignment, here.person),
        has_seen_results=has_seen_results(here.assignment, here.person),
    )


@allowed(Action.CODE_SURVEY, "GET", "POST")
def code(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Sort answers to one question into categories, a few at a time."""
    question = here.objects["question"]
    if request.method == "POST":
        with refusal_as_message(request):
            services.save_codes(question=question, by=here.person, codes=_sent(request))
            return _onward(request, here)
        return redirect("survey-code", here.course.key, here.assignment.key, question.pk)
    codes = coding.own_codes(question, here.person)
    listed = Paginator(answers.answers_to(question), PER_PAGE).get_page(request.GET.get("page"))
    return page(
        request,
        here,
        "survey/code",
        asked=asked(question),
        listed=listed,
        rows=[_row(answer, codes.get(answer.key, "")) for answer in listed],
        categories=list(CATEGORIES.get(question.code, {}).items()),
        first=listed.start_index(),
        coded=len(codes),
        has_seen_results=has_seen_results(here.assignment, here.person),
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


def _onward(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """To the first page with something left to sort; home when nothing is."""
    question = here.objects["question"]
    keys = list(answers.answers_to(question).values_list("key", flat=True))
    codes = coding.own_codes(question, here.person)
    left = [place for place, key in enumerate(keys) if key not in codes]
    if not left:
        messages.success(request, _("You have categorised all answers to this question."))
        return redirect("survey-staff", here.course.key, here.assignment.key)
    text = ngettext("Saved. %(count)d answer left.", "Saved. %(count)d answers left.", len(left))
    messages.success(request, text % {"count": len(left)})
    answer = redirect("survey-code", here.course.key, here.assignment.key, question.pk)
    answer["Location"] += f"?page={left[0] // PER_PAGE + 1}"
    return answer


@allowed(Action.CODE_SURVEY, "POST")
def finish_coding(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """See how everybody sorted, and sort no more."""
    try:
        services.finish_coding(assignment=here.assignment, by=here.person)
    except Refused as error:
        messages.error(request, str(error))
        return redirect("survey-staff", here.course.key, here.assignment.key)
    return redirect("survey-results", here.course.key, here.assignment.key)


@allowed(Action.SEE_SURVEY)
def results(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Agreement and the cross table, for who no longer sorts; for others the way there."""
    seen = has_seen_results(here.assignment, here.person)
    results = coding.results_of(here.assignment) if seen else None
    return page(
        request,
        here,
        "survey/results",
        has_seen_results=seen,
        readable=answers.readable(here.assignment),
        progress=coding.own_progress(here.assignment, here.person),
        results=results,
        table=_table(results) if results is not None else None,
        single=_single(results) if results is not None else None,
        legend=[
            (short(code, category), words)
            for code in CATEGORIES
            for category, words in CATEGORIES[code].items()
        ],
    )


def _table(results: coding.CodingResults) -> dict[str, Any] | None:
    """As in the paper: what was said about giving in rows, about getting in columns."""
    if results.table is None:
        return None
    rows = [
        {"name": short(GIVEN, category), "cells": [float(cell) for cell in cells], "total": float(total)}
        for category, cells, total in zip(
            CATEGORIES[GIVEN], results.table.percent, results.table.row_totals, strict=True
        )
    ]
    return {
        "heads": [short(RECEIVED, category) for category in CATEGORIES[RECEIVED]],
        "rows": rows,
        "totals": [float(total) for total in results.table.column_totals],
        "people": results.table.people,
        "is_small": results.table.people < SMALL,
    }


def _single(results: coding.CodingResults) -> list[tuple[str, Any, float]] | None:
    if results.single is None:
        return None
    code, percentages = results.single
    words = CATEGORIES[code].items()
    return [
        (short(code, category), text, share)
        for (category, text), share in zip(words, percentages, strict=True)
    ]


@allowed(Action.SEE_SURVEY)
def file(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """All answers as CSV, without names and in no order; empty as long as they cannot be read."""
    rows = answer_rows(here.assignment, here.person)
    frame = pl.DataFrame(rows, infer_schema_length=None) if rows else pl.DataFrame({"question": []})
    headers = attachment(here.assignment, "survey", "csv")
    text = "\ufeff" + neutralise(frame).write_csv()
    return HttpResponse(text, content_type="text/csv; charset=utf-8", headers=headers)

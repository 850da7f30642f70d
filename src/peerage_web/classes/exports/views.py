"""The page of exports of an assignment, grade books, and the data set without names."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from peerage.grading.output.books import BOOKS
from peerage.results import result_files
from peerage_web.classes.access import allowed, page
from peerage_web.classes.exports.data_set import command_of, data_set, data_set_file
from peerage_web.classes.exports.gradebooks import book_file, source_of
from peerage_web.classes.names import attachment
from peerage_web.classes.permissions import Action
from peerage_web.classes.scope import RequestScope
from peerage_web.shared.errors import Refused


@allowed(Action.EXPORT_GRADES)
def exports(request: HttpRequest, here: RequestScope) -> HttpResponse:
    run, release = source_of(here.assignment)
    letters = run is not None and bool(run.options.get("letters") or run.options.get("complete"))
    context: dict[str, Any] = {
        "run": run,
        "release": release,
        "books": BOOKS.values(),
        "letters": letters,
        "has_report": run is not None and (run.job.results / "report.html").is_file(),
    }
    return page(request, here, "exports/exports", **context)


@allowed(Action.EXPORT_GRADES)
def book(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """`?book=canvas&what=parts`: a grade book."""
    name, what = request.GET.get("book", ""), request.GET.get("what", "parts")
    try:
        file = book_file(assignment=here.assignment, book=name, what=what, by=here.person)
    except Refused as error:
        messages.error(request, str(error))
        return redirect("exports", here.course.key, here.assignment.key)
    (kind,) = result_files(books=[BOOKS[name]])
    return _file(here, file.name, file.content, kind.content_type)


@allowed(Action.EXPORT_DATA)
def data(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """What a data set without names would hold, and what in it could still identify somebody."""
    try:
        made = data_set(assignment=here.assignment)
    except Refused as error:
        messages.error(request, str(error))
        return redirect("exports", here.course.key, here.assignment.key)
    context: dict[str, Any] = {
        "made": made,
        "findings": made.findings.sentences(),
        "command": command_of(made.run, bool(made.anchors)),
    }
    return page(request, here, "exports/data", **context)


@allowed(Action.EXPORT_DATA)
def data_file(request: HttpRequest, here: RequestScope) -> HttpResponse:
    try:
        content = data_set_file(assignment=here.assignment, by=here.person)
    except Refused as error:
        messages.error(request, str(error))
        return redirect("exports", here.course.key, here.assignment.key)
    return _file(here, "rankings-without-names.zip", content, "application/zip")


def _file(here: RequestScope, name: str, content: bytes, kind: str) -> HttpResponse:
    stem, _dot, ending = name.partition(".")
    return HttpResponse(content, content_type=kind, headers=attachment(here.assignment, stem, ending))

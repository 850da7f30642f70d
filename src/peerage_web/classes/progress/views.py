"""How far everybody is: the list, the same as a file, and reminding those who are behind."""

import csv
import io
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from peerage.writing.spreadsheet import neutralise_text
from peerage_web.accounts.services.mail import has_mail_server
from peerage_web.classes import visibility
from peerage_web.classes.access import allowed, page, plain
from peerage_web.classes.assignments import queries as overview
from peerage_web.classes.names import attachment
from peerage_web.classes.permissions import Action
from peerage_web.classes.progress import reminders
from peerage_web.classes.progress.queries import SHOWN, ProgressFilter, ProgressRow, chosen, counts, rows_of
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.texts import NOT_REMINDED
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import mark_refusal

PER_PAGE = 50
NAMES = ("show", "section", "search", "sort")


@allowed(Action.SEE_PROGRESS)
def progress(request: HttpRequest, here: RequestScope) -> HttpResponse:
    rows, choice = rows_of(here.assignment), _choice(request)
    listed = chosen(rows, choice)
    return page(
        request,
        here,
        "progress/progress",
        rows=Paginator(listed, PER_PAGE).get_page(request.GET.get("page")),
        counts=counts(rows),
        choice=choice,
        query=_query(choice),
        columns=_columns(choice),
        shown=[(name, label) for name, (label, _fits) in SHOWN.items()],
        sections=overview.sections_of(here.course),
    )


def _choice(request: HttpRequest) -> ProgressFilter:
    query = request.POST if request.method == "POST" else request.GET
    return ProgressFilter.of({name: plain(query.get(name, "")) for name in NAMES})


def _query(choice: ProgressFilter, **other: str) -> str:
    sort = ("-" if choice.down else "") + choice.sort
    values = {"show": choice.show, "section": choice.section, "search": choice.search, "sort": sort, **other}
    return urlencode({name: value for name, value in values.items() if value and value != "name"})


def _columns(choice: ProgressFilter) -> list[dict[str, str]]:
    """Heads of the table, each with the address that sorts by it, or turns that order round."""
    labels = {
        "name": _("Name"),
        "section": _("Section"),
        "submission": _("Submission"),
        "reviews": _("Reviews"),
        "ranked": _("Ranking"),
        "reminded": _("Last reminded"),
    }
    heads = []
    for name, label in labels.items():
        here = choice.sort == name
        turned = "-" + name if here and not choice.down else name
        order = ("descending" if choice.down else "ascending") if here else ""
        heads.append({"label": label, "order": order, "query": _query(choice, sort=turned) or "sort=name"})
    return heads


# -- as a file ------------------------------------------------------------------------------------------


@allowed(Action.SEE_PROGRESS)
def export(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """The rows that are chosen, as CSV; its words and times are for programs, the same in every language."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(EXPORTED)
    for row in chosen(rows_of(here.assignment), _choice(request)):
        writer.writerow([_cell(getattr(row, name)) for name in EXPORTED.values()])
    headers = attachment(here.assignment, "progress", "csv")
    return HttpResponse("\ufeff" + file.getvalue(), content_type="text/csv; charset=utf-8", headers=headers)


EXPORTED = {
    "name": "name",
    "email": "email",
    "student_id": "student_id",
    "section": "section",
    "team": "team",
    "submission": "submission",
    "submission_submitted_at": "submission_at",
    "submission_is_late": "submission_is_late",
    "submission_due_at": "due_at",
    "reviews": "reviews",
    "reviews_opened": "opened",
    "ranking": "standing",
    "ranking_saved_at": "drafted_at",
    "ranking_submitted_at": "ranked_at",
    "ranking_is_late": "ranked_late",
    "reviews_due_at": "reviews_due_at",
    "reminded_at": "reminded_at",
}


def _cell(value: Any) -> str:
    """As text; what a spreadsheet would take for a formula gets an apostrophe before it."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return timezone.localtime(value).isoformat(timespec="seconds")
    if isinstance(value, bool):
        return "yes" if value else "no"
    return neutralise_text(str(value.value if hasattr(value, "value") else value))


# -- reminding ------------------------------------------------------------------------------------------

LISTED = 200  # names on the page of the preview


@allowed(Action.REMIND, "GET", "POST")
def remind(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """See who would get which mail, then send it to those who were seen."""
    choice = _choice(request)
    query = request.POST if request.method == "POST" else request.GET
    insist = query.get("insist") == "yes"
    if request.method == "POST":
        try:
            return _send(request, here, choice, insist)
        except Refused as error:
            messages.error(request, str(error))
            return mark_refusal(_preview(request, here, choice, insist), error)
    return _preview(request, here, choice, insist)


def _preview(request: HttpRequest, here: RequestScope, choice: ProgressFilter, insist: bool) -> HttpResponse:
    rows = chosen(rows_of(here.assignment), choice)
    audience = reminders.audience(here.assignment, rows, insist=insist)
    return page(
        request,
        here,
        "progress/remind",
        receiving=audience.receiving[:LISTED],
        more=max(len(audience.receiving) - LISTED, 0),
        count=len(audience.receiving),
        members=",".join(str(row.member) for row in audience.receiving),
        left_out=[_left_out(code, rows) for code, rows in audience.left_out.items()],
        letter=_letter(here, audience.receiving),
        insist=insist,
        lately=len(audience.left_out.get("lately", ())),
        choice=choice,
        shown=SHOWN[choice.show][0],
        query=_query(choice),
    )


def _left_out(code: str, rows: list[ProgressRow]) -> dict[str, Any]:
    return {"why": NOT_REMINDED[code], "count": len(rows), "names": [row.name for row in rows[:20]]}


def _letter(here: RequestScope, receiving: list[ProgressRow]) -> dict[str, Any] | None:
    if not receiving:
        return None
    first = visibility.people_for(here.member).select_related("course", "person").get(pk=receiving[0].member)
    letter = reminders.preview(member=first)
    return {"to": first.shown_name, "letter": letter} if letter is not None else None


def _send(request: HttpRequest, here: RequestScope, choice: ProgressFilter, insist: bool) -> HttpResponse:
    numbers = plain_numbers(request.POST.get("members", ""))
    count = reminders.remind(assignment=here.assignment, members=numbers, by=here.person, insist=insist)
    text = ngettext("%(count)d reminder is on its way.", "%(count)d reminders are on their way.", count)
    if has_mail_server():
        messages.success(request, text % {"count": count})
    else:
        messages.error(request, _("This site has no mail server, so no e-mail was sent."))
    to = reverse("progress", args=[here.course.key, here.assignment.key])
    return redirect(f"{to}?{_query(choice)}" if _query(choice) else to)


def plain_numbers(text: str) -> set[int]:
    """Numbers divided by commas; whatever else is there is left out."""
    parts = text.split(",")
    return {int(part) for part in parts if part.isascii() and part.isdigit() and len(part) < 18}

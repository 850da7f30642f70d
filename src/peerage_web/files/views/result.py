"""The page of a graded class: a frame around what was made with the grades."""

from __future__ import annotations

import gzip
from datetime import timedelta

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from peerage_web.files.forms import KeepingForm
from peerage_web.files.models import Job
from peerage_web.files.views.access import done_or_404, open_or_404, open_to_visitors
from peerage_web.sandbox.contract.jobs import RESULT_FILES, RESULT_TABLES, read_result_parts, result_rows_file

PLAIN_TEXT = ("title", "policy")  # parts that are not HTML


def page(request: HttpRequest, job: Job) -> HttpResponse:
    """The whole result."""
    parts = parts_of(job)
    if parts is None:  # deleted since we asked the database
        raise Http404
    context = {
        "job": job,
        "parts": parts,
        "address": request.build_absolute_uri(job.get_absolute_url()),
        "files": sorted(RESULT_FILES.values(), key=lambda file: file.for_programs),
        "keeping": KeepingForm(initial={"name": job.name}, auto_id="keeping_%s"),
        "left": left_words(job.kept_until - timezone.now()),
    }
    return render(request, "files/result.html", context)


def parts_of(job: Job) -> dict[str, str] | None:
    """The pieces that a result page is put together from; None where its files are gone."""
    try:
        parts = read_result_parts(job.results)
    except FileNotFoundError:
        return None
    return {name: _as_is(name, part) for name, part in parts.items()}


def _as_is(name: str, part: str) -> str:
    """The library has escaped whatever came from the visitor's file."""
    return part if name in PLAIN_TEXT else mark_safe(part)


def left_words(time: timedelta) -> str:
    """How long something is still kept; result.js says it in the same words."""
    hours, minutes = divmod(max(0, int(time.total_seconds() // 60)), 60)
    if hours >= 48:
        return f"{hours // 24} days left"
    if hours:
        return f"{hours} h {minutes} min left"
    return f"{minutes} min left" if minutes else "less than a minute left"


@require_safe
@open_to_visitors
def rows(request: HttpRequest, key: str, table: str) -> FileResponse:
    """Every row of a table too long for the page, as JSON; fetched when the table comes into view."""
    job = done_or_404(request, key)
    if table not in RESULT_TABLES:
        raise Http404
    path = result_rows_file(job.results, table)
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        headers = {"Content-Encoding": "gzip"}
        return FileResponse(open_or_404(path), content_type="application/json", headers=headers)
    try:
        return FileResponse(gzip.open(path), content_type="application/json")  # piece by piece
    except FileNotFoundError:
        raise Http404 from None

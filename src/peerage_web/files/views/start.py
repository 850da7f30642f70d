"""The first page: drop a file, paste rows, or take the example."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from peerage_web.files.forms import StartForm
from peerage_web.files.models import Job
from peerage_web.files.services import drafts
from peerage_web.files.views.access import open_to_visitors, owner_of
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import mark_refusal
from peerage_web.shared.visitors import visitor_of


@require_http_methods(["GET", "HEAD", "POST"])
@open_to_visitors
def start(request: HttpRequest) -> HttpResponse:
    """Show the page, or take what was dropped on it."""
    if request.method != "POST":
        return _page(request, StartForm())
    form = StartForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, form, status=422)
    upload = form.cleaned_data["file"] or drafts.upload_of_text(form.cleaned_data["text"])
    try:
        job = drafts.create_job(upload=upload, visitor=visitor_of(request), owner=owner_of(request))
    except Refused as error:
        form.add_error(None, str(error))
        return mark_refusal(_page(request, form), error)
    return _to(job)


@require_POST
@open_to_visitors
def example(request: HttpRequest) -> HttpResponse:
    """A bundled class, ready to be graded."""
    try:
        return _to(drafts.create_example_job(visitor=visitor_of(request), owner=owner_of(request)))
    except Refused as error:
        form = StartForm({})
        form.add_error(None, str(error))
        return mark_refusal(_page(request, form), error)


def _page(request: HttpRequest, form: StartForm, status: int = 200) -> HttpResponse:
    return render(request, "files/start.html", {"form": form}, status=status)


def _to(job: Job) -> HttpResponse:
    response: HttpResponse = redirect(job)
    return response

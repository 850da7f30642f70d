"""Results afterwards: one's own, their names, and how long they stay."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from peerage_web.files import queries
from peerage_web.files.forms import KeepingForm
from peerage_web.files.services.keeping import keep_result
from peerage_web.files.views.access import done_or_404, open_to_visitors, owner_of, posted

SHOWN = 200  # results on the page


@require_safe
@open_to_visitors
def mine(request: HttpRequest) -> HttpResponse:
    """What somebody who has signed in has here."""
    owner = owner_of(request)
    if settings.GRADE_A_FILE != "sign-in" or owner is None:
        raise Http404
    return render(request, "files/mine.html", {"jobs": list(queries.jobs_of(owner)[:SHOWN])})


@posted
@open_to_visitors
def keep(request: HttpRequest, key: str) -> HttpResponse:
    """A name for the result, and how long it stays."""
    job = done_or_404(request, key)
    form = KeepingForm(request.POST)
    if form.is_valid():
        keep_result(job=job, name=form.cleaned_data["name"], days=form.cleaned_data["days"])
    return redirect(f"{job.get_absolute_url()}#keeping")

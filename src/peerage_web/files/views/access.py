"""Who may use the pages, whose job it is, and which files it has left."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from peerage_web.files.models import Job
from peerage_web.files.services.jobs import jobs_with

if TYPE_CHECKING:
    from peerage_web.accounts.models import Person

View = Callable[..., HttpResponseBase]


def open_to_visitors(view: View) -> View:
    """For everybody, for people with an account, or for nobody, as the instance is set up."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **named: Any) -> HttpResponseBase:
        if settings.GRADE_A_FILE == "off":
            raise Http404
        if settings.GRADE_A_FILE == "sign-in" and not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        return view(request, *args, **named)

    return guarded


def post_only(view: View) -> View:
    """For forms alone; whoever comes back to such an address in the browser's history is led to the page."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **named: Any) -> HttpResponseBase:
        if request.method in ("GET", "HEAD"):
            return redirect("job", **named) if named else redirect("start")
        return require_POST(view)(request, *args, **named)

    return guarded


def job_or_404(request: HttpRequest, key: str) -> Job:
    """The job at this address; with sign-in, only for the one who uploaded it."""
    jobs = jobs_with(key)
    if settings.GRADE_A_FILE == "sign-in":
        jobs = jobs.filter(owner=request.user.pk)
    return get_object_or_404(jobs)


def done_or_404(request: HttpRequest, key: str) -> Job:
    """The job at this address, if it is done."""
    job = job_or_404(request, key)
    if job.state != Job.State.DONE:
        raise Http404
    return job


def open_or_404(path: Path) -> BinaryIO:
    """A file for reading; it may be deleted at any moment."""
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise Http404 from None


def owner_of(request: HttpRequest) -> Person | None:
    """Who has signed in, where that is asked for; elsewhere a job belongs to its address alone."""
    if settings.GRADE_A_FILE == "sign-in" and request.user.is_authenticated:
        return request.user
    return None

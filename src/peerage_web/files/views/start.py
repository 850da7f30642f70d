"""The first page: drop a file, paste rows, or take the example."""

from urllib.parse import urlencode

from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from peerage_web.files.forms import StartForm
from peerage_web.files.models import Job
from peerage_web.files.services import drafts
from peerage_web.files.views.access import open_to_visitors, owner_of, post_only
from peerage_web.shared.errors import Busy, Full, Refused
from peerage_web.shared.views.errors import mark_refusal
from peerage_web.shared.visitors import visitor_of

SAID = "peerage.said"
REMEMBERED = 600  # seconds for which the address of a refusal says what it was


@require_http_methods(["GET", "HEAD", "POST"])
@open_to_visitors
def start(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _first_page(request)
    form = StartForm(request.POST, request.FILES)
    if not form.is_valid():
        texts = [str(text) for errors in form.errors.values() for text in errors]
        return _back_to_it(Refused(" ".join(texts)))
    upload = form.cleaned_data["file"] or drafts.upload_of_text(form.cleaned_data["text"])
    try:
        job = drafts.create_job(upload=upload, visitor=visitor_of(request), owner=owner_of(request))
    except Refused as error:
        if form.cleaned_data["text"]:  # which no address can carry, and nobody wants to paste again
            form.add_error(None, str(error))
            return mark_refusal(_page(request, form), error)
        return _back_to_it(error)
    return _to(job)


@post_only
@open_to_visitors
def example(request: HttpRequest) -> HttpResponse:
    try:
        return _to(drafts.create_example_job(visitor=visitor_of(request), owner=owner_of(request)))
    except Refused as error:
        return _back_to_it(error)


def _back_to_it(error: Refused) -> HttpResponse:
    """To the page's own address, which says why: going back in the browser's history finds pages alone."""
    said = signing.dumps({"text": str(error), "kind": type(error).__name__}, salt=SAID)
    return redirect(f"{reverse('start')}?{urlencode({'said': said})}")


def _first_page(request: HttpRequest) -> HttpResponse:
    try:
        said = signing.loads(request.GET.get("said", ""), salt=SAID, max_age=REMEMBERED)
    except signing.BadSignature:  # nothing was said, or long ago
        return _page(request, StartForm())
    form = StartForm({})
    form.errors.clear()
    form.add_error(None, said["text"])
    kind = {"Busy": Busy, "Full": Full}.get(said["kind"], Refused)
    return mark_refusal(_page(request, form), kind(said["text"]))


def _page(request: HttpRequest, form: StartForm, status: int = 200) -> HttpResponse:
    return render(request, "files/start.html", {"form": form}, status=status)


def _to(job: Job) -> HttpResponse:
    response: HttpResponse = redirect(job)
    return response

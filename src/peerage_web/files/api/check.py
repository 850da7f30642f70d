"""POST check: what an instructor should know before grading."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import File, Form, Router
from ninja.files import UploadedFile

from peerage_web.api.access import who_asks
from peerage_web.api.answers import answered
from peerage_web.api.bodies import takes_form
from peerage_web.files.api.options import Checking, describe_files, options_of, refuse_unknown_fields
from peerage_web.files.api.schemas import CheckResult
from peerage_web.files.services.costs import looking_seconds
from peerage_web.files.services.drafts import draft_for_now
from peerage_web.files.services.running import bounds, files_of
from peerage_web.sandbox.work.reading import check_files

router = Router(tags=["files"])


@router.post(
    "/check",
    response=CheckResult,
    summary="Check a file",
    operation_id="check",
    openapi_extra=describe_files("file", "roster"),
)
@takes_form()
def check(
    request: HttpRequest,
    asked: Form[Checking],
    file: File[UploadedFile],
    roster: File[UploadedFile | None] = None,
) -> HttpResponse:
    """Count what there is, follow who was compared with whom, and name what needs a look.

    The answer is that of `peerage check --json`. Nothing is kept.
    """
    refuse_unknown_fields(request, Checking, ("file", "roster"))
    options = options_of(asked)
    with draft_for_now(upload=file, others={"roster": roster}, visitor=who_asks(request)) as job:
        asking = files_of(job), options, bounds(), asked.min_reviews
        return answered(
            check_files, *asking, visitor=job.visitor, cost=looking_seconds(job), command="peerage check FILE"
        )

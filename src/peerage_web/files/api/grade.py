"""POST check: what to know before grading. POST grade: small classes at once, large ones as a job."""

from typing import Any, Literal

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja import File, Form, Router, Schema
from ninja.files import UploadedFile
from pydantic import Field

from peerage_web.api.access import client_of
from peerage_web.api.validation import answer_from_sandbox, as_json, takes_form
from peerage_web.files.api.jobs import JobStatus, Result, answer_accepted
from peerage_web.files.api.options import (
    CheckFields,
    GradeFields,
    describe_files,
    options_of,
    refuse_unknown_fields,
)
from peerage_web.files.models import Job
from peerage_web.files.services.drafts import temporary_draft
from peerage_web.files.services.jobs import grading_seconds, preview_seconds, start_job
from peerage_web.files.services.storage import bounds, files_of
from peerage_web.sandbox.contract.errors import OutOfTimeError
from peerage_web.sandbox.contract.jobs import JobOptions
from peerage_web.sandbox.work.grading import grade_at_once
from peerage_web.sandbox.work.reading import check_files
from peerage_web.shared.errors import Busy
from peerage_web.shared.services.sandbox_slots import ask_sandbox


class CheckFinding(Schema):
    """One thing an instructor should know before grading."""

    code: str
    severity: Literal["info", "warning"]
    found: str
    means: str
    advice: str
    count: int
    cases: list[dict[str, Any]]


class CheckResult(Schema):
    """The pre-flight, as `peerage check --json` prints it."""

    file: str
    warnings: int
    counts: dict[str, Any]
    tasks: list[dict[str, Any]]
    findings: list[CheckFinding]
    notes: list[str]
    direction: dict[str, Any] | None = Field(
        description="Whether high or low numbers are better, why, and who decided."
    )


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
    asked: Form[CheckFields],
    file: File[UploadedFile],
    roster: File[UploadedFile | None] = None,
) -> HttpResponse:
    """Count the data, check who was compared with whom, and list what needs attention.

    The response equals the output of `peerage check --json`. Nothing is stored.
    """
    refuse_unknown_fields(request, CheckFields, ("file", "roster"))
    options = options_of(asked)
    with temporary_draft(upload=file, others={"roster": roster}, visitor=client_of(request)) as job:
        asking = files_of(job), options, bounds(), asked.min_reviews
        return answer_from_sandbox(
            check_files, *asking, visitor=job.visitor, cost=preview_seconds(job), command="peerage check FILE"
        )


LATER = {
    "description": "Too large to answer at once, or `Prefer: respond-async` was asked for: a job.",
    "headers": {"Location": {"description": "The job.", "schema": {"type": "string"}}},
}
PREFER = {
    "name": "Prefer",
    "in": "header",
    "required": False,
    "description": "`respond-async` asks for a job, whatever the size.",
    "schema": {"type": "string", "enum": ["respond-async"]},
}


@router.post(
    "/grade",
    response={200: Result, 202: JobStatus},
    summary="Grade a file",
    operation_id="grade",
    openapi_extra={"responses": {202: LATER}, "parameters": [PREFER]}
    | describe_files("file", "roster", "anchors"),
)
@takes_form()
def grade(
    request: HttpRequest,
    asked: Form[GradeFields],
    file: File[UploadedFile],
    roster: File[UploadedFile | None] = None,
    anchors: File[UploadedFile | None] = None,
) -> HttpResponse:
    """Grade the class in a file, with the uncertainty of each grade.

    A small class is graded immediately: the response is the content of results.json, and nothing is stored.
    A large one becomes a job: 202, with its address in the Location header.
    """
    refuse_unknown_fields(request, GradeFields, ("file", "roster", "anchors"))
    options = options_of(asked)
    others = {"roster": roster, "anchors": anchors}
    with temporary_draft(upload=file, others=others, visitor=client_of(request)) as job:
        result = None if _wants_job(request) else _at_once(job, options)
        if result is not None:
            return as_json(result)
        start_job(job=job, options=options)
    return answer_accepted(job, asked_for=_wants_job(request))


def _wants_job(request: HttpRequest) -> bool:
    wishes = request.headers.get("Prefer", "").lower().replace(";", ",").split(",")
    return "respond-async" in [wish.strip() for wish in wishes]


def _at_once(job: Job, options: JobOptions) -> str | None:
    """The result, or None where it is too much to wait for."""
    limits = settings.LIMITS
    try:
        result: str | None = ask_sandbox(
            grade_at_once,
            files_of(job),
            options,
            bounds(),
            limits.direct_reviews,
            visitor=job.visitor,
            cost=grading_seconds(job, options),
            seconds=limits.direct_seconds / 3,
        )
    except (OutOfTimeError, Busy):  # in the queue it will be served, a little later
        return None
    return result

"""Jobs: how far they are, what came out, cancelling and deleting them."""

import json
from datetime import datetime
from typing import IO, Any, Literal, cast

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from ninja import Router, Schema
from pydantic import ConfigDict, Field

from peerage_web.api.build import describe_errors
from peerage_web.api.problems import ProblemDetails, problem, problem_from_record
from peerage_web.api.validation import as_json
from peerage_web.files.models import Job
from peerage_web.files.services import jobs as services
from peerage_web.sandbox.contract.jobs import GRADING_STEPS, RESULT_CONTENT_TYPES


class Result(Schema):
    """The content of results.json; docs/reference/results-json.md explains every key."""

    model_config = ConfigDict(extra="allow")

    schema_version: int
    provenance: dict[str, Any]
    method: dict[str, Any]
    interval: float
    scale: dict[str, Any] | None
    letters: dict[str, Any] | None
    sentences: dict[str, Any]
    preflight: dict[str, Any]
    items: list[dict[str, Any]]
    graders: list[dict[str, Any]]
    staff_list: list[dict[str, Any]]
    validity: dict[str, Any] | None


class JobLinks(Schema):
    """Links of a job; null while there is nothing yet."""

    self: str
    result: str | None
    cancel: str | None
    files: dict[str, str]


class JobStatus(Schema):
    """Status of a job."""

    state: Literal["draft", "queued", "running", "done", "failed", "cancelled"]
    step: str = Field(description="The current step.")
    progress: float = Field(ge=0, le=1, description="Approximate progress.")
    place: int | None = Field(description="Number of jobs ahead in the queue, while the job waits.")
    created_at: datetime
    expires_at: datetime = Field(description="When the job and all its files are deleted.")
    summary: dict[str, Any] | None = Field(description="Counts and the method, once the job is done.")
    problem: ProblemDetails | None = Field(description="The problem, if the job failed.")
    links: JobLinks


router = Router(tags=["jobs"])
State = Job.State
NO_RESULT = describe_errors(
    {
        409: "The job is not done.",
        413: "It failed: too much for this service.",
        422: "It failed: see `detail`.",
    }
)
A_FILE = {
    "responses": {
        200: {
            "description": "The file.",
            "content": {kind.partition(";")[0]: {} for kind in RESULT_CONTENT_TYPES.values()},
        },
        **NO_RESULT["responses"],
    }
}


@router.get("/jobs/{key}", response=JobStatus, summary="Status of a job", operation_id="job")
def job_status(request: HttpRequest, key: str) -> HttpResponse:
    """State, step, position in the queue, expiry, and links to the files."""
    return _status(_find_job(key))


@router.get(
    "/jobs/{key}/result",
    response=Result,
    summary="The result of a job",
    operation_id="job_result",
    openapi_extra=NO_RESULT,
)
def job_result(request: HttpRequest, key: str) -> HttpResponse:
    """The content of results.json, or the problem if the job failed."""
    job = _find_job(key)
    refusal = _refuse_unless_done(job)
    if refusal is not None:
        return refusal
    with _open(job, "results.json") as file:
        return as_json(file.read())


@router.get(
    "/jobs/{key}/files/{name}", summary="A file of a job", operation_id="job_file", openapi_extra=A_FILE
)
def job_file(request: HttpRequest, key: str, name: str) -> HttpResponseBase:
    """One of the files that the status of the job links to, as `peerage grade --out` writes it."""
    job = _find_job(key)
    refusal = _refuse_unless_done(job)
    if refusal is not None:
        return refusal
    if name not in RESULT_CONTENT_TYPES:
        raise Http404
    return FileResponse(
        _open(job, name), as_attachment=True, filename=name, content_type=RESULT_CONTENT_TYPES[name]
    )


@router.post("/jobs/{key}/cancel", response=JobStatus, summary="Cancel a job", operation_id="cancel_job")
def cancel_job(request: HttpRequest, key: str) -> HttpResponse:
    """Stop a waiting or running job. Finished jobs stay unchanged."""
    job = _find_job(key)
    services.cancel_job(job=job)
    return _status(job)


@router.delete("/jobs/{key}", response={204: None}, summary="Delete a job", operation_id="delete_job")
def delete_job(request: HttpRequest, key: str) -> HttpResponse:
    """Delete the job and all its files immediately. A running job is stopped first."""
    services.delete_job(job=_find_job(key))
    return HttpResponse(status=204)


def answer_accepted(job: Job, *, asked_for: bool) -> HttpResponse:
    """202: it is a job now, and this is where it lives."""
    answer = _status(job, status=202)
    answer.headers["Location"] = _address(job)
    if asked_for:
        answer.headers["Preference-Applied"] = "respond-async"
    return answer


def _find_job(key: str) -> Job:
    """The key is all it takes, as on the pages; but jobs of the pages are not for the API."""
    return get_object_or_404(services.jobs_with(key), origin="api")


def _refuse_unless_done(job: Job) -> HttpResponse | None:
    if job.state == State.DONE:
        return None
    if job.state == State.FAILED and job.problem is not None:
        return problem_from_record(job.problem)
    return problem("not-ready", f"The job is {job.get_state_display()}.")


def _open(job: Job, name: str) -> IO[bytes]:
    try:
        return (job.results / name).open("rb")
    except FileNotFoundError:  # deleted a moment ago
        raise Http404 from None


def _files(job: Job) -> list[str]:
    return (
        [name for name in RESULT_CONTENT_TYPES if (job.results / name).is_file()]
        if job.state == State.DONE
        else []
    )


def _address(job: Job) -> str:
    return f"/api/v1/jobs/{job.key}"


def _status(job: Job, *, status: int = 200) -> HttpResponse:
    record = JobStatus(
        state=cast(Any, job.state),
        step=job.step,
        progress=_progress(job),
        place=services.place_in_queue(job) if job.state == State.QUEUED else None,
        created_at=job.created_at,
        expires_at=job.kept_until,
        summary=job.summary,
        problem=_problem(job),
        links=_links(job),
    )
    return as_json(record.model_dump_json(), status=status)


def _progress(job: Job) -> float:
    if job.state == State.DONE:
        return 1.0
    return round(min(job.steps_done / GRADING_STEPS, 0.99), 2)


def _problem(job: Job) -> Any:
    return json.loads(problem_from_record(job.problem).content) if job.problem else None


def _links(job: Job) -> JobLinks:
    address = _address(job)
    return JobLinks(
        self=address,
        result=f"{address}/result" if job.state == State.DONE else None,
        cancel=f"{address}/cancel" if job.is_active else None,
        files={name: f"{address}/files/{name}" for name in _files(job)},
    )

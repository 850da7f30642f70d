"""Errors of the API, all in one form: problem details as in RFC 9457."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import DisallowedHost
from django.http import Http404, HttpRequest, HttpResponse
from ninja import Router, Schema
from pydantic import ConfigDict, Field

from peerage_web.configuration.logs import request_id


class ProblemEntry(Schema):
    """One problem: in a field of the request, or at a place in a file."""

    field: str | None = Field(description="The request field, if the problem is in one.")
    line: int | None = Field(description="Line in the file.")
    column: str | None = Field(description="Column in the file.")
    value: str | None = Field(description="The value found there.")
    rule: str = Field(description="The rule that the value breaks.")
    fix: str | None = Field(description="How to fix it.")


class ReadingOffer(Schema):
    """A way to read a file. It was tried."""

    reading: dict[str, Any] = Field(description="What to send as the field `reading` to confirm it.")
    sentences: list[str] = Field(description="What it means, from real lines of the file.")
    options: str = Field(description="The same as options of the command line.")


class ProblemDetails(Schema):
    """Problem details as in RFC 9457."""

    type: str = Field(description="Address of the problem type; it never changes.")
    title: str
    status: int
    detail: str = Field(description="What happened, in the same words as on the command line.")
    instance: str = Field(description="ID of the request, as in the X-Request-ID header.")
    problems: list[ProblemEntry]
    readings: list[ReadingOffer] | None = Field(
        None, description="Of an `ambiguous-reading`: the ways to read the file, the most likely first."
    )

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "type": "/api/v1/problems/data",
                "title": "The data cannot be used as it is",
                "status": 422,
                "detail": "feedback.csv: line 7, column 'rank': 'x' is not a number, and a rank must be one;"
                " write a plain number such as 8.5",
                "instance": "0b9f5c1e7d534b3fa3f4f6f0f5a0a3a1",
                "problems": [
                    {
                        "field": None,
                        "line": 7,
                        "column": "rank",
                        "value": "x",
                        "rule": "is not a number, and a rank must be one",
                        "fix": "write a plain number such as 8.5",
                    }
                ],
            }
        }
    )


class ProblemKind(Schema):
    """A problem type."""

    type: str
    title: str
    status: int
    meaning: str


router = Router(tags=["problems"])
MEDIA_TYPE = "application/problem+json"
HOME = "/api/v1/problems/"
RETRY_AFTER = 30  # seconds, where nobody knows better


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of problem: its status, its title, and what a client should make of it."""

    status: int
    title: str
    meaning: str


KINDS = {
    "data": Kind(
        422,
        "The data cannot be used as it is",
        "`problems` says where, which rule is broken, and how to fix it.",
    ),
    "ambiguous-reading": Kind(
        422,
        "The file can be read in several ways",
        "Nothing was guessed: send the same again, with one of `readings` as the field `reading`.",
    ),
    "request": Kind(422, "This cannot be done with this data", "`detail` says why; change the options."),
    "invalid": Kind(422, "The request is not valid", "`problems` names each field and its rule."),
    "crash": Kind(422, "The file could not be read", "The reader crashed; another format may help."),
    "too-large": Kind(413, "Too large for this service", "Use `peerage` on your own machine."),
    "time": Kind(413, "It took too long", "Start a job, or use `peerage` on your own machine."),
    "memory": Kind(413, "It needs too much memory", "Use `peerage` on your own machine."),
    "malformed": Kind(
        400, "The request could not be understood", "The body does not match its content type."
    ),
    "token": Kind(401, "A valid token is required", "Send `Authorization: Bearer prg_…`."),
    "forbidden": Kind(403, "You do not have access to this", "A different token may have."),
    "not-found": Kind(404, "There is nothing at this address", "Jobs are deleted when they expire."),
    "method": Kind(405, "Method not allowed", "The Allow header lists the allowed methods."),
    "too-slow": Kind(408, "The request was too slow", "It was cut off; try a faster connection."),
    "not-ready": Kind(409, "The job has no result", "Check its state; it may be running or cancelled."),
    "not-now": Kind(409, "This cannot be done right now", "`detail` says when; check the phase first."),
    "media-type": Kind(415, "Unsupported content type", "`detail` lists the supported types."),
    "too-many": Kind(429, "Too many requests", "Wait for the number of seconds in Retry-After."),
    "busy": Kind(503, "The service is busy", "Try again after the number of seconds in Retry-After."),
    "killed": Kind(503, "The work was interrupted", "Nothing is wrong with the file; try again."),
    "no-room": Kind(
        503, "There is no storage space right now", "The disk is full; try again in a few minutes."
    ),
    "lost": Kind(503, "The grading was interrupted twice", "Nothing is wrong with the file; try again."),
    "bug": Kind(500, "Something went wrong on our side", "Include the `instance` when you report it."),
}
_BY_STATUS = {400: "malformed", 401: "token", 403: "forbidden", 404: "not-found", 405: "method",
              408: "too-slow", 413: "too-large", 415: "media-type", 422: "invalid", 429: "too-many",
              503: "busy"}  # fmt: skip


def problem(
    code: str,
    detail: str = "",
    *,
    problems: Sequence[Mapping[str, Any]] = (),
    readings: Sequence[Mapping[str, Any]] = (),
    status: int | None = None,
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    """The answer for a problem of this kind."""
    kind = KINDS[code]
    body = {
        "type": HOME + code,
        "title": kind.title,
        "status": status or kind.status,
        "detail": detail or kind.meaning,
        "instance": request_id.get(),
        "problems": [entry(**fault) for fault in problems],
        **({"readings": list(readings)} if readings else {}),
    }
    text = json.dumps(body, ensure_ascii=False)
    # a lone surrogate from a hostile file has no place in UTF-8
    answer = HttpResponse(text.encode("utf-8", "replace"), status=body["status"], content_type=MEDIA_TYPE)
    if answer.status_code in (429, 503):
        answer.headers["Retry-After"] = str(RETRY_AFTER)
    if answer.status_code == 401:
        answer.headers["WWW-Authenticate"] = 'Bearer realm="Peerage API"'
    for name, value in (headers or {}).items():
        answer.headers[name] = value
    return answer


def database_away() -> HttpResponse:
    """The answer while the database is away or locked."""
    return problem("busy", "The database is not responding. Try again in a minute.")


def entry(
    *,
    rule: str,
    field: str | None = None,
    line: int | None = None,
    column: str | None = None,
    value: str | None = None,
    fix: str | None = None,
) -> dict[str, Any]:
    """One thing wrong: in a field of the request, or at a place in a file."""
    return {"field": field, "line": line, "column": column, "value": value, "rule": rule, "fix": fix}


def problem_from_record(record: Mapping[str, Any]) -> HttpResponse:
    """The answer for a record that :func:`peerage_web.sandbox.contract.errors.describe_problem` made."""
    code = record["code"] if record["code"] in KINDS else "bug"
    return problem(code, record["detail"], problems=record["problems"], readings=record.get("readings", ()))


def is_problem(response: HttpResponse) -> bool:
    """Whether an answer is in this form already."""
    return response.headers.get("Content-Type", "").startswith(MEDIA_TYPE)


def as_problem(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """An error that was not made here, said in this form: unknown addresses, wrong methods, bad hosts."""
    status = response.status_code
    code = _BY_STATUS.get(status, "bug" if status >= 500 else "malformed")
    details = {
        "not-found": "There is nothing at this address, or it has been deleted.",
        "method": f"Allowed: {response.headers.get('Allow', 'other methods')}. You sent {request.method}.",
    }
    try:
        request.get_host()
    except DisallowedHost:
        details["malformed"] = (
            "This service does not go by that address. Whoever runs it can add it to PEERAGE_HOSTS."
        )
    allow = {"Allow": response.headers["Allow"]} if "Allow" in response.headers else {}
    return problem(code, details.get(code, ""), status=status, headers=allow)


@router.get("/problems/{code}", response=ProblemKind, summary="A problem type", operation_id="problem")
def kind(request: HttpRequest, code: str) -> ProblemKind:
    """What it means and what to do. The `type` of every problem leads here."""
    if code not in KINDS:
        raise Http404
    kind = KINDS[code]
    return ProblemKind(type=HOME + code, title=kind.title, status=kind.status, meaning=kind.meaning)

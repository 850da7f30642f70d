"""The API, version 1, without its addresses: its description for OpenAPI, and what becomes of errors."""

import logging
from typing import Any

from django.conf import settings
from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.request import UnreadablePostError
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema

from peerage import __version__
from peerage.errors import PeerageError
from peerage_web.api.problems import (
    KINDS,
    MEDIA_TYPE,
    ProblemDetails,
    database_away,
    problem,
    problem_from_record,
)
from peerage_web.api.validation import FieldsError, StrictParser, explain_invalid, refuse_fields
from peerage_web.sandbox.contract.errors import SandboxError, describe_problem
from peerage_web.shared.errors import Busy, Refused

REF = "#/components/schemas/ProblemDetails"
EVERYWHERE = {
    400: "The request could not be understood.",
    401: "A token is needed, or the one given is not valid.",
    404: "There is nothing here, or no longer.",
    429: "Too many requests in this minute, uploads in this hour, or jobs at once; see Retry-After.",
    500: "Something is broken on our side.",
    503: "Too much is going on; see Retry-After.",
}
WITH_BODY = {
    408: "The body came in too slowly and was cut off.",
    413: "Too large for this service: bytes, reviews, list length, time or memory.",
    415: "Another kind of body is needed.",
    422: "The file or the request cannot be used as it is; `detail` and `problems` say why.",
}
LIMITED = {
    "RateLimit-Limit": "Requests a minute.",
    "RateLimit-Remaining": "What is left of them.",
    "RateLimit-Reset": "Seconds until the minute is over.",
}


class DocumentedAPI(NinjaAPI):
    """Ninja's API, with its errors described."""

    def __init__(self, **named: Any) -> None:
        super().__init__(**named)
        self._documents: dict[str, OpenAPISchema] = {}

    def get_root_path(self, path_params: dict[str, Any]) -> str:
        """Where it lives; fixed, because clients are written against it."""
        return "/api/v1/"

    def get_openapi_schema(self, **named: Any) -> OpenAPISchema:
        """The OpenAPI document; made once, for it is the same for everybody."""
        if settings.API_ACCESS not in self._documents:
            self._documents[settings.API_ACCESS] = self._described(super().get_openapi_schema(**named))
        return self._documents[settings.API_ACCESS]

    def _described(self, document: OpenAPISchema) -> OpenAPISchema:
        components = document["components"]
        components["schemas"].update(_definitions())
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        components["headers"] = {name: _header(text) for name, text in LIMITED.items()}
        document["security"] = [{"token": []}] if settings.API_ACCESS == "token" else [{}, {"token": []}]
        for methods in document["paths"].values():
            for operation in methods.values():
                _describe(operation)
        return document


def _definitions() -> dict[str, Any]:
    schema = ProblemDetails.model_json_schema(ref_template="#/components/schemas/{model}")
    return {**schema.pop("$defs"), "ProblemDetails": schema}


def _header(text: str) -> dict[str, Any]:
    return {"description": text, "schema": {"type": "integer"}}


def _describe(operation: dict[str, Any]) -> None:
    for body in operation.get("requestBody", {}).get("content", {}).values():
        _leave_out_null(body["schema"].get("properties", {}) if "$ref" not in body["schema"] else {})
    errors = EVERYWHERE | (WITH_BODY if "requestBody" in operation else {})
    responses = operation["responses"]
    for status, text in errors.items():
        responses.setdefault(status, {})
        responses[status] = {"description": text, **_content(responses[status])}
    for answer in responses.values():
        answer["headers"] = {
            **answer.get("headers", {}),
            **{name: {"$ref": f"#/components/headers/{name}"} for name in LIMITED},
        }


def _leave_out_null(properties: dict[str, Any]) -> None:
    """In a form, what may be absent is left out; there is no null to send."""
    for schema in properties.values():
        kinds = [kind for kind in schema.pop("anyOf", []) if kind != {"type": "null"}]
        if len(kinds) == 1:
            schema.pop("default", None)
            schema.update(kinds[0])
        elif kinds:
            schema["anyOf"] = kinds


def _content(before: dict[str, Any]) -> dict[str, Any]:
    return {**before, "content": {MEDIA_TYPE: {"schema": {"$ref": REF}}}}


def describe_errors(errors: dict[int, str]) -> dict[str, Any]:
    """For `openapi_extra` of an operation that has errors of its own."""
    return {"responses": {status: _content({"description": text}) for status, text in errors.items()}}


# -- errors ---------------------------------------------------------------------------------------------

log = logging.getLogger(__name__)

api = DocumentedAPI(
    title="Peerage",
    version=__version__,
    description="Fair grades from students' rankings of each other's submissions, with their uncertainty."
    " Files come in as forms, the rest as JSON; errors are problem details (RFC 9457).",
    docs_url=None,  # its page loads scripts from a network; docs/reference/http-api.md is for people
    docs_decorator=lambda view: csrf_exempt(require_safe(view)),
    urls_namespace="api",
    parser=StrictParser(),
)


@api.exception_handler(ValidationError)
def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    return explain_invalid(error.errors)


@api.exception_handler(FieldsError)
def _fields(request: HttpRequest, error: FieldsError) -> HttpResponse:
    return refuse_fields(error.faults)


@api.exception_handler(Busy)
def _busy(request: HttpRequest, error: Busy) -> HttpResponse:
    code = "busy" if error.status == KINDS["busy"].status else "too-many"
    return problem(code, str(error), headers={"Retry-After": str(error.retry_after)})


@api.exception_handler(Refused)
def _refused(request: HttpRequest, error: Refused) -> HttpResponse:
    return problem("request", str(error))


@api.exception_handler(PeerageError)
@api.exception_handler(SandboxError)
def _from_the_library(request: HttpRequest, error: Exception) -> HttpResponse:
    return problem_from_record(describe_problem(error))


@api.exception_handler(RequestDataTooBig)
def _too_large(request: HttpRequest, error: RequestDataTooBig) -> HttpResponse:
    return problem("too-large", str(error))


@api.exception_handler(MultiPartParserError)
@api.exception_handler(UnreadablePostError)
@api.exception_handler(SuspiciousOperation)
@api.exception_handler(BadRequest)
def _malformed(request: HttpRequest, error: Exception) -> HttpResponse:
    return problem("malformed", "The body is not a form as its header says, or has too many parts.")


@api.exception_handler(HttpError)
def _unreadable(request: HttpRequest, error: HttpError) -> HttpResponse:
    if isinstance(error.__cause__, FieldsError):
        return refuse_fields(error.__cause__.faults)
    return problem("malformed", "The body is not JSON.")


@api.exception_handler(Http404)
def _nothing(request: HttpRequest, error: Http404) -> HttpResponse:
    return problem("not-found", "There is no such thing, or no longer: jobs are kept for a time only.")


@api.exception_handler(OperationalError)
@api.exception_handler(InterfaceError)
def _away(request: HttpRequest, error: Exception) -> HttpResponse:
    log.error("the database does not answer", exc_info=error)
    return database_away()


@api.exception_handler(Exception)
def _unforeseen(request: HttpRequest, error: Exception) -> HttpResponse:
    log.error("the API failed for a reason nobody foresaw", exc_info=error)
    return problem_from_record(describe_problem(error))

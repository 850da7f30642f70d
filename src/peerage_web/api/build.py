"""The API, version 1, without its addresses, and what becomes of each kind of error."""

from __future__ import annotations

import logging

from django.core.exceptions import BadRequest, RequestDataTooBig, SuspiciousOperation
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.request import UnreadablePostError
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from ninja.errors import HttpError, ValidationError

from peerage import __version__
from peerage.errors import PeerageError
from peerage_web.api.invalid import FieldsError, invalid, refuse
from peerage_web.api.openapi import DescribedAPI
from peerage_web.api.parsing import StrictParser
from peerage_web.api.problems import KINDS, database_away, of_record, problem
from peerage_web.sandbox.contract.errors import SandboxError, describe_problem
from peerage_web.shared.errors import Busy, Refused

log = logging.getLogger(__name__)

api = DescribedAPI(
    title="Peerage",
    version=__version__,
    description="Fair grades from students' rankings of each other's work, and how sure they are."
    " Files come in as forms, the rest as JSON; errors are problem details (RFC 9457).",
    docs_url=None,  # its page loads scripts from a network; docs/api.md is for people
    docs_decorator=lambda view: csrf_exempt(require_safe(view)),
    urls_namespace="api",
    parser=StrictParser(),
)


@api.exception_handler(ValidationError)
def _invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:
    return invalid(error.errors)


@api.exception_handler(FieldsError)
def _fields(request: HttpRequest, error: FieldsError) -> HttpResponse:
    return refuse(error.faults)


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
    return of_record(describe_problem(error))


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
        return refuse(error.__cause__.faults)
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
    return of_record(describe_problem(error))

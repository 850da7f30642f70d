"""Requests: which kind of body an address takes, asked before anything of it is read; what is wrong with its
fields, in plain words instead of the validator's.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja.decorators import decorate_view
from ninja.parser import Parser

from peerage_web.api.problems import problem
from peerage_web.sandbox.contract.errors import OutOfMemoryError, OutOfTimeError
from peerage_web.shared.services.sandbox_slots import ask_sandbox

LARGEST_SEED = 2**31 - 1
JSON_BYTES = 4 << 20  # 5,000 people with groups and conflicts need about one megabyte
View = Callable[..., HttpResponse]
Decorator = Callable[[View], View]


def takes_form() -> Decorator:
    """A form with files. Their size is watched by the upload handler."""
    return _taking("multipart/form-data", lambda request: None)


def takes_json() -> Decorator:
    """A JSON document of bounded size."""
    return _taking("application/json", _too_long)


def _taking(kind: str, check: Callable[[HttpRequest], HttpResponse | None]) -> Decorator:
    def decorate(run: View) -> View:
        @wraps(run)
        def guarded(request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
            if request.content_type != kind:
                sent = request.content_type or "nothing"
                return problem("media-type", f"Send {kind}, not {sent}.", headers={"Accept-Post": kind})
            return check(request) or run(request, *args, **named)

        return guarded

    taking: Decorator = decorate_view(decorate)
    return taking


def _too_long(request: HttpRequest) -> HttpResponse | None:
    # Django reads no more than this header says
    length = request.META.get("CONTENT_LENGTH") or "0"
    if length.isdecimal() and int(length) <= JSON_BYTES:
        return None
    return problem("too-large", f"A JSON body may have {JSON_BYTES >> 20} MB here.")


def as_json(text: str | bytes, *, status: int = 200) -> HttpResponse:
    """A JSON document, sent as it is."""
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    return HttpResponse(data, status=status, content_type="application/json")


def answer_from_sandbox(
    work: Callable[..., Any], *args: Any, command: str, visitor: str, cost: float
) -> HttpResponse:
    """What `work` says; where it takes too much, the command that does it without limits."""
    try:
        return as_json(ask_sandbox(work, *args, visitor=visitor, cost=cost))
    except OutOfTimeError:
        code, reason = "time", f"It would take more than {settings.LIMITS.direct_seconds} seconds."
    except OutOfMemoryError:
        code, reason = "memory", "It would need more memory than this service gives to one question."
    return problem(code, f"{reason} On your own machine there is no such limit: {command}")


Words = Callable[[Mapping[str, Any]], str]
_SHOWN = 20
_WHOLE: Words = lambda ctx: "must be a whole number"  # noqa: E731
_NUMBER: Words = lambda ctx: "must be a number"  # noqa: E731
_BOOLEAN: Words = lambda ctx: "must be true or false"  # noqa: E731
_TEXT: Words = lambda ctx: "must be text"  # noqa: E731

_WORDS: dict[str, Words] = {
    "missing": lambda ctx: "is missing",
    "extra_forbidden": lambda ctx: "is not known here",
    "greater_than_equal": lambda ctx: f"must be at least {ctx['ge']:g}",
    "greater_than": lambda ctx: f"must be greater than {ctx['gt']:g}",
    "less_than_equal": lambda ctx: f"must be at most {ctx['le']:,}",
    "less_than": lambda ctx: f"must be less than {ctx['lt']:g}",
    "literal_error": lambda ctx: f"must be {ctx['expected']}",
    "string_too_short": lambda ctx: f"must have at least {ctx['min_length']} characters",
    "string_too_long": lambda ctx: f"must have at most {ctx['max_length']} characters",
    "string_pattern_mismatch": lambda ctx: "must not hold NUL characters",
    "too_short": lambda ctx: f"must have at least {ctx['min_length']} entries",
    "too_long": lambda ctx: f"must have at most {ctx['max_length']:,} entries",
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_parsing_size": _WHOLE,
    "int_from_float": _WHOLE,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": _NUMBER,
    "bool_type": _BOOLEAN,
    "bool_parsing": _BOOLEAN,
    "string_type": _TEXT,
    "string_unicode": _TEXT,
    "list_type": lambda ctx: "must be a list",
    "dict_type": lambda ctx: "must be an object",
    "model_attributes_type": lambda ctx: "must be an object",
    "model_type": lambda ctx: "must be an object",
    "value_error": lambda ctx: str(ctx["error"]),
}


class FieldsError(Exception):
    """Fields of a request break rules that the validator does not know: (field, rule)."""

    def __init__(self, faults: list[tuple[str, str]]) -> None:
        super().__init__(faults)
        self.faults = faults


def explain_invalid(errors: Iterable[Mapping[str, Any]]) -> HttpResponse:
    """The answer for errors as the validator lists them."""
    return refuse_fields([(_field(error["loc"]), _rule(error)) for error in errors])


def refuse_fields(faults: list[tuple[str, str]]) -> HttpResponse:
    """The answer for fields that break a rule: (field, rule)."""
    sentences = [f"{field} {rule}" for field, rule in faults]
    detail = "; ".join(sentences[:_SHOWN])
    if len(sentences) > _SHOWN:
        detail += f"; … and {len(sentences) - _SHOWN} more"
    return problem("invalid", detail, problems=[{"field": field, "rule": rule} for field, rule in faults])


def _rule(error: Mapping[str, Any]) -> str:
    words = _WORDS.get(error["type"])
    return str(error["msg"]) if words is None else words(error.get("ctx", {}))


def _field(place: Iterable[Any]) -> str:
    """`roster.3.student` rather than ("body", "asked", "roster", 3, "student")."""
    parts = [str(part) for part in list(place)[1:]]
    if parts[:1] == ["asked"]:  # what our functions call a whole body
        del parts[0]
    return ".".join(parts) or "the body"


def without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON; FieldsError where it has a name twice."""
    document = dict(pairs)
    if len(document) < len(pairs):
        names = [name for name, _ in pairs]
        raise FieldsError([(name, "is given twice") for name in document if names.count(name) > 1])
    return document


class StrictParser(Parser):
    """Ninja's parser, which would take the last of two."""

    def parse_body(self, request: HttpRequest) -> Any:
        return json.loads(request.body, object_pairs_hook=without_duplicates)

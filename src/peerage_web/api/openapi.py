"""The description of the API: what Ninja finds out by itself, and the errors that every address may give."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from ninja import NinjaAPI
from ninja.openapi.schema import OpenAPISchema

from peerage_web.api.problems import MEDIA_TYPE
from peerage_web.api.schemas import Problem

REF = "#/components/schemas/Problem"
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


class DescribedAPI(NinjaAPI):
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
    schema = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    return {**schema.pop("$defs"), "Problem": schema}


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


def may_fail(errors: dict[int, str]) -> dict[str, Any]:
    """For `openapi_extra` of an operation that has errors of its own."""
    return {"responses": {status: _content({"description": text}) for status, text in errors.items()}}

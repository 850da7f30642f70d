"""What the API sends of files and jobs, described for OpenAPI."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from ninja import Schema
from pydantic import ConfigDict, Field

from peerage_web.api.schemas import Problem


class Finding(Schema):
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
    findings: list[Finding]
    notes: list[str]
    direction: dict[str, Any] | None = Field(
        description="Which way the numbers were read, why, and who decided: see docs/data.md."
    )


class Result(Schema):
    """The content of results.json; docs/results-json.md explains every key."""

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


class Links(Schema):
    """Where to go from a job; null where there is nothing yet."""

    self: str
    result: str | None
    cancel: str | None
    files: dict[str, str]


class JobStatus(Schema):
    """How far a job has come."""

    state: Literal["draft", "queued", "running", "done", "failed", "cancelled"]
    step: str = Field(description="What is being done now.")
    progress: float = Field(ge=0, le=1, description="About how much is done.")
    place: int | None = Field(description="How many jobs come before this one, while it waits.")
    created_at: datetime
    expires_at: datetime = Field(description="When everything of this job is deleted.")
    summary: dict[str, Any] | None = Field(description="Counts and the method, once it is done.")
    problem: Problem | None = Field(description="What went wrong, where it failed.")
    links: Links

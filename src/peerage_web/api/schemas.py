"""What the API sends, described for OpenAPI."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from ninja import Schema
from pydantic import ConfigDict, Field


class ProblemEntry(Schema):
    """One thing wrong: a field of the request, or a place in a file."""

    field: str | None = Field(description="The field of the request, where it is one.")
    line: int | None = Field(description="Line of the file.")
    column: str | None = Field(description="Column of the file.")
    value: str | None = Field(description="What stands there.")
    rule: str = Field(description="The rule that is broken.")
    fix: str | None = Field(description="What would help.")


class Problem(Schema):
    """Problem details as in RFC 9457."""

    type: str = Field(description="Address of the kind of problem; never changes.")
    title: str
    status: int
    detail: str = Field(description="What happened, in the words that the command line uses.")
    instance: str = Field(description="Id of the request, as in the header X-Request-ID.")
    problems: list[ProblemEntry]

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "type": "/api/v1/problems/data",
                "title": "The data cannot be used as they are",
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
    """A kind of problem."""

    type: str
    title: str
    status: int
    meaning: str


class Method(Schema):
    """A way to grade."""

    code: str = Field(examples=["PL"])
    name: str = Field(examples=["PlackettLuce"])
    summary: str = Field(description="One honest line.")
    takes: list[Literal["orders", "pairs", "scores", "orders+scores"]]
    with_reliability: str | None = Field(
        description="The code that also estimates graders' reliability, if there is one.", examples=["PL+G"]
    )
    parameters: dict[str, Any] = Field(description="Parameters and their defaults.")


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


class Review(Schema):
    """One review to be given."""

    grader: str
    item: str
    position: int = Field(description="Where it stands in the grader's list, from 1.")
    email: str | None = None


class Quality(Schema):
    """How good the allocation is for the estimator; docs/allocation.md explains the figures."""

    n_graders: int
    n_items: int
    n_reviews: int
    loads: dict[str, int] = Field(description="Number of reviews to number of items that get so many.")
    lists: dict[str, int] = Field(description="Number of reviews to number of graders who give so many.")
    components: int
    repeated_pairs: int
    most_together: int
    covered_pairs: float
    spectral_gap: float


class Allocation(Schema):
    """Who reviews what."""

    design: str
    seed: int
    anchors: list[str]
    notes: list[str]
    quality: Quality
    reviews: list[Review]


class Workload(Schema):
    """What to expect of one number of reviews per student; percentages."""

    reviews_per_student: int
    reviews_per_item: float
    tau_error: float = Field(description="% of pairs in another order than endlessly many peers would give.")
    tau_error_se: float
    staff_tau_error: float = Field(description="The same, against staff.")
    boundary_error: float = Field(description="% of submissions in the wrong band.")
    interval: float = Field(description="Nine of ten are within so many percentile points of their place.")


class PlanResult(Schema):
    """What to expect, for several workloads."""

    per_student: int
    workloads: list[Workload]

"""What the API sends before the term, described for OpenAPI."""

from __future__ import annotations

from typing import Any, Literal

from ninja import Schema
from pydantic import Field


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

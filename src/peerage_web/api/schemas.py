"""Problems as the API sends them, described for OpenAPI."""

from __future__ import annotations

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

"""A grading result as a plain dictionary for JSON: the schema of docs/reference/results-json.md."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from peerage.grading.result import GradedCriterion, GradingResult
    from peerage.grading.staff.validity import Validity

SCHEMA_VERSION = 1


def record(result: GradingResult, *, tables: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Everything of the result, keys always there, null where there is nothing.

    ``tables`` are files that hold `items`, `graders` and `ranks` of the comparison: those are then null.
    """
    letters, beside = result.letters, dict(tables or {})
    return {
        "schema_version": SCHEMA_VERSION,
        "provenance": result.provenance,
        "method": {
            "code": result.method.code,
            "params": _plain(result.method.params),
            "reason": result.method.reason,
            "chosen_by_peerage": result.method.chosen,
        },
        "interval": result.interval,
        "scale": None if result.scale is None else {"low": result.scale.low, "high": result.scale.high},
        "points_rule": result.points_rule,
        "letters": None if letters is None else {"rule": letters.text, "names": list(letters.names)},
        "uncertainty": {"source": result.posterior.source, "note": result.posterior.note},
        "sentences": result.sentences,
        "preflight": result.preflight.to_dict(),
        "left_out": _rows(result.left_out),
        "tables": beside or None,
        "items": None if "items" in beside else _items(result),
        "graders": None if "graders" in beside else _rows(result.graders),
        "class_figures": _rows(result.class_figures),
        "strategic": _rows(result.strategic),
        "staff_list": _rows(result.staff_list),
        "pairs_list": _rows(result.pairs_list),
        "next_reviews": _rows(result.next_reviews),
        "comparison": {
            "methods": list(result.comparison.codes),
            "summary": _rows(result.comparison.summary),
            "ranks": None if "ranks" in beside else _rows(result.comparison.ranks),
        },
        "criteria": [_criterion(criterion) for criterion in result.criteria],
        "validity": None if result.validity is None else _validity(result.validity),
    }


def _criterion(criterion: GradedCriterion) -> dict[str, Any]:
    """A criterion on its own: the plain table of its grades."""
    return {
        "name": criterion.name,
        "weight": criterion.weight,
        "method": criterion.result.method.code,
        "items": _rows(criterion.result.items),
    }


def result_table(result: GradingResult, key: str) -> pl.DataFrame:
    """What the record has under `items`, `graders` or `ranks`, as a table; chances of letters in columns."""
    if key == "graders":
        return result.graders
    if key == "ranks":
        return result.comparison.ranks
    if result.letters is None or result.letter_chances is None:
        return result.items
    names = result.letters.names
    chances = {f"letter_chance_{name}": result.letter_chances[:, k] for k, name in enumerate(names)}
    return result.items.with_columns(pl.Series(name, values) for name, values in chances.items())


def _items(result: GradingResult) -> list[dict[str, Any]]:
    rows = _rows(result.items)
    if result.letters is None or result.letter_chances is None:
        return rows
    for row, chances in zip(rows, result.letter_chances.tolist(), strict=True):
        row["letter_chances"] = dict(zip(result.letters.names, chances, strict=True))
    return rows


def _rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    return [{name: _plain(value) for name, value in row.items()} for row in frame.iter_rows(named=True)]


def _validity(validity: Validity) -> dict[str, Any]:
    figures = (
        *("n", "error", "mean_error", "anchored_mean_error", "raw_error", "raw_bias"),
        *("gap", "gap_low", "gap_high", "coverage", "tau", "correlation"),
    )
    anchors = validity.anchors
    return {
        **{name: _plain(getattr(validity, name)) for name in figures},
        "moved": {"intercept": validity.conversion.intercept, "slope": validity.conversion.slope},
        "maps": [
            {"shape": m.shape, "intercept": m.intercept, "slope": m.slope, "errors": m.errors}
            for m in validity.maps
        ],
        "sources": _rows(anchors.sources),
        "staff_noise": anchors.staff_noise,
        "unknown_items": list(anchors.unknown),
    }


def _plain(value: Any) -> Any:
    """JSON has no infinity and no NaN."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    return value

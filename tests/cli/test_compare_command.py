"""`peerage compare`, and `peerage methods`, which lists what can be compared."""

import json

import polars as pl
import pytest
from tests.cli.commands import ranks, run

from peerage.models.registry import METHODS


@pytest.fixture
def feedback(put):
    return put("feedback.csv", ranks({"ada": "xyzw", "bob": "xzyw", "cyd": "yxwz"}))


def test_methods_stand_side_by_side_and_all_ranks_are_written(feedback, tmp_path):
    result = run("compare", feedback, "--methods", "bt,mal", "--out", tmp_path / "ranks.csv")
    found = json.loads(run("compare", feedback, "--methods", "bt", "--method", "pl", "--json").stdout)

    assert result.exit_code == 0
    assert "Beside PL+G" in result.output
    assert all(code in result.output for code in ("MALBC", "BT", "MAL"))
    assert pl.read_csv(tmp_path / "ranks.csv").columns == ["task", "item", "PL+G", "MALBC", "BT", "MAL"]
    assert found["methods"] == ["PL", "MALBC", "BT"]
    assert len(found["ranks"]) == 4


def test_methods_are_listed():
    shown = run("methods")
    rows = json.loads(run("methods", "--json").stdout)

    assert shown.exit_code == 0
    assert all(code in shown.output for code in METHODS)
    assert [row["code"] for row in rows] == list(METHODS)
    assert next(row for row in rows if row["code"] == "SCAVG")["with_reliability"] is None

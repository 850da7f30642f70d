import json

import polars as pl
import pytest
from typer.testing import CliRunner

from peerage.cli import app


@pytest.fixture
def feedback(tmp_path):
    path = tmp_path / "feedback.csv"
    orders = (("ada", "xyzw"), ("bob", "xzyw"), ("cyd", "yxwz"))
    rows = [f"{g},{item},{rank}" for g, order in orders for rank, item in enumerate(order, 1)]
    path.write_text("grader,item,rank\n" + "\n".join(rows), encoding="utf-8")
    return path


def compare(*args):
    return CliRunner().invoke(app, ["compare", *map(str, args)])


def test_methods_stand_side_by_side(feedback):
    result = compare(feedback, "--methods", "bt,mal")

    assert result.exit_code == 0
    assert "Beside PL+G" in result.output
    assert all(code in result.output for code in ("MALBC", "BT", "MAL"))


def test_all_ranks_are_written(feedback, tmp_path):
    compare(feedback, "--method", "pl", "--methods", "bt", "--out", tmp_path / "ranks.csv")

    assert pl.read_csv(tmp_path / "ranks.csv").columns == ["task", "item", "PL", "MALBC", "BT"]


def test_json_has_summary_and_ranks(feedback):
    found = json.loads(compare(feedback, "--methods", "bt", "--json").stdout)

    assert found["methods"] == ["PL+G", "MALBC", "BT"]
    assert len(found["ranks"]) == 4

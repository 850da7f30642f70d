import json

from typer.testing import CliRunner

from peerage.cli import app
from peerage.models.registry import METHODS


def test_every_method_has_its_line():
    result = CliRunner().invoke(app, ["methods"])

    assert result.exit_code == 0
    assert all(code in result.output for code in METHODS)


def test_json_lists_them_all():
    rows = json.loads(CliRunner().invoke(app, ["methods", "--json"]).stdout)

    assert [row["code"] for row in rows] == list(METHODS)
    assert next(row for row in rows if row["code"] == "SCAVG")["with_reliability"] is None

"""Several criteria: together by their weights, and each on its own."""

import json

import polars as pl
import pytest
from typer.testing import CliRunner

from peerage import DataError, grade, read
from peerage.cli import app
from peerage.grading.output.results_json import record
from peerage.reading.reading import parse_criteria
from peerage.report import report_html

ROWS = {
    "reviewer": ["ada"] * 3 + ["bob"] * 3 + ["cyd"] * 3 + ["dan"] * 3,
    "paper": ["p1", "p2", "p3"] * 4,
    "clarity": [4, 3, 5, 5, 2, 4, 4, 3, 5, 3, 1, 4],
    "method": [5, 2, 1, 4, 3, 2, 4, 1, 2, 5, 2, 3],
}
WEIGHTS = {"clarity": 2, "method": 1}


def by_hand(**weights):
    """The feedback with the weighted mean in a column of its own."""
    frame = pl.DataFrame(ROWS)
    total = sum(pl.col(name) * weight for name, weight in weights.items()) / sum(weights.values())
    return read(frame.select("reviewer", "paper", score=total))


def test_together_they_are_the_weighted_mean():
    whole = read(ROWS, criteria=WEIGHTS)

    assert whole.equals(by_hand(**WEIGHTS))
    assert whole.equals(read(ROWS, criteria={"clarity": 4, "method": 2}))  # only how weights compare counts
    assert [(one.name, one.weight) for one in whole.criteria] == [("clarity", 2), ("method", 1)]
    assert "graded by the criteria clarity (2), method (1)" in whole.notes


def test_together_and_each_are_graded_as_if_they_were_alone():
    result = grade(read(ROWS, criteria=WEIGHTS), scale=(0, 5))
    plain = grade(by_hand(**WEIGHTS), scale=(0, 5))

    shown = result.items.sort("item")
    assert result.items.select(plain.items.columns).equals(plain.items)
    for one in result.criteria:
        alone, own = grade(by_hand(**{one.name: 1}), scale=(0, 5)).items, one.result.items.drop("mean_score")
        assert own.equals(alone.select(own.columns))
        for name in ("score", "rank"):
            assert shown[one.column(name)].to_list() == alone.sort("item")[name].to_list()
    assert result.items["item"].to_list() == ["p1", "p3", "p2"]
    assert result.items["criterion_clarity_rank"].to_list() == [2, 1, 3]


def test_the_record_and_the_report_have_both():
    result = grade(read(ROWS, criteria=WEIGHTS))
    written = json.loads(json.dumps(record(result)))["criteria"]
    page = report_html(result)

    recorded = [(one["name"], one["weight"], one["method"]) for one in written]
    assert recorded == [("clarity", 2, "NCS+G"), ("method", 1, "NCS+G")]
    assert [row["item"] for row in written[0]["items"]] == ["p3", "p1", "p2"]
    assert "<h3>By criterion</h3>" in page
    assert "clarity (× 2)" in page
    assert result.sentences["criteria"] in page.replace("&#x27;", "'")
    assert "<h3>By criterion</h3>" not in report_html(grade(by_hand(**WEIGHTS)))


def test_reviews_of_own_work_are_left_out_of_every_criterion():
    owners = {"student": ["ada", "bob", "cyd"], "item": ["p1", "p2", "p3"]}

    result = grade(read(ROWS, criteria=WEIGHTS), owners=owners)

    assert len(result.left_out) == 3
    assert [len(one.result.left_out) for one in result.criteria] == [3, 3]


def test_a_review_without_a_criterion_is_named_or_left_out():
    rows = {**ROWS, "method": [None, *ROWS["method"][1:]]}

    with pytest.raises(DataError, match="the score is empty"):
        read(rows, criteria=WEIGHTS)
    whole = read(rows, criteria=WEIGHTS, missing="drop")

    assert whole.n_entries == 11
    assert [one.feedback.n_entries for one in whole.criteria] == [12, 11]
    assert "1 review without a score for every criterion left out of the whole" in whole.notes


def test_different_ranges_are_said():
    rows = {**ROWS, "method": [10 * value for value in ROWS["method"]]}

    (note,) = [note for note in read(rows, criteria=WEIGHTS).notes if "different ranges" in note]

    assert "clarity from 1 to 5, method from 10 to 50" in note


def test_without_weights_all_count_the_same():
    for given in ("clarity, method", ["clarity", "method=1"]):
        assert parse_criteria(given) == {"clarity": 1, "method": 1}
    assert parse_criteria("a=b=2,c") == {"a=b": 2, "c": 1}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("clarity=2,method=0", "above 0"),
        ("clarity=2,method=x", "'method' with the weight 'x'"),
        ("clarity=2,clarity=1", "named twice"),
        ("clarity", "one criterion is a score"),
        ({"clarity": float("nan"), "method": 1}, "above 0"),
        ("clarity,metod", "did you mean 'method'"),
    ],
)
def test_what_is_no_weight_is_refused(given, message):
    with pytest.raises(DataError, match=message):
        read(ROWS, criteria=given)


def test_the_command_line_grades_by_criteria(tmp_path):
    pl.DataFrame(ROWS).write_csv(tmp_path / "f.csv")

    done = CliRunner().invoke(app, ["grade", str(tmp_path / "f.csv"), "--criteria", "clarity=2,method=1"])

    assert done.exit_code == 0
    assert "Graded by 2 criteria, with the weights clarity 2, method 1" in " ".join(done.output.split())

"""Grades without reviews of one's own work."""

import json

import numpy as np
import polars as pl
import pytest

from peerage import Feedback, grade, simulate
from peerage.grading.output.results_json import record

ADMIRERS = 5


@pytest.mark.parametrize(("model", "best"), [("normal", {"score": 10.0}), ("pl", {"rank": 0})])
def test_some_who_admire_themselves_gain_nothing(model, best):
    made = simulate(items=30, graders=30, per_grader=5, model=model, seed=5)
    own = made.roster.head(ADMIRERS).select(grader="student", item="item")
    own = own.with_columns(pl.lit(value).alias(name) for name, value in best.items())
    both = pl.concat([made.rows, own.select(made.rows.columns)], how="vertical_relaxed")
    if "rank" in best:
        both = both.with_columns(pl.col("rank") + 1)

    honest = grade(made.feedback(), owners=made.roster)
    dropped = grade(Feedback.from_columns(**both.to_dict()), owners=made.roster)

    np.testing.assert_array_equal(dropped.items["score"], honest.items["score"])
    assert len(dropped.left_out) == ADMIRERS
    assert len(dropped.preflight.finding("own-work").cases) == ADMIRERS
    assert honest.left_out.is_empty()
    assert "self_reviews" not in honest.sentences


def test_what_was_left_out_is_in_every_record_and_kept_where_asked():
    feedback = Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["y", "x", "z"]), ("cyd", ["z", "x", "y"])])

    owners = {"student": ["ada", "bob"], "item": ["x", "w"]}
    result, kept = grade(feedback, owners=owners), grade(feedback, owners=owners, self_reviews="keep")

    row = {"task": "1", "grader": "ada", "item": "x", "known_by": "roster"}
    said = "1 review of the grader's own work was left out of the grading."
    assert record(result)["left_out"] == [row]
    assert json.loads(json.dumps(result.provenance))["left_out"] == [row]
    assert result.provenance["options"]["self_reviews"] == "drop"
    assert result.sentences["self_reviews"] == said
    assert result.feedback.n_entries == 7
    assert (kept.feedback.n_entries, kept.left_out.height) == (8, 0)

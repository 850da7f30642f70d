"""Grades without reviews of one's own work."""

import json

import numpy as np
import polars as pl
import pytest

from peerage import Feedback, grade, simulate
from peerage.grading.output.results_json import record

ADMIRERS = 10


@pytest.fixture(scope="module", params=["normal", "pl"])
def admired(request):
    """A class of 100 in which ten also submit their own work, at the top; and the class without that."""
    made = simulate(items=100, graders=100, per_grader=7, model=request.param, seed=5)
    rows = made.rows
    owners = made.roster.head(ADMIRERS)
    best = (
        {"score": pl.lit(10.0)}
        if request.param == "normal"
        else {"rank": pl.lit(0, dtype=rows["rank"].dtype)}
    )
    own = owners.select(grader="student", item="item").with_columns(**best)
    both = pl.concat([rows, own.select(rows.columns)])
    if request.param == "pl":
        both = both.with_columns(rank=pl.col("rank") + 1)
    return made, Feedback.from_columns(**both.to_dict()), owners["item"]


def places(result, items):
    return result.items.filter(pl.col("item").is_in(items.implode())).sort("item")["rank"].to_numpy()


def test_ten_who_admire_themselves_gain_nothing(admired):
    made, feedback, items = admired
    honest = grade(made.feedback(), owners=made.roster)
    kept = grade(feedback, owners=made.roster, self_reviews="keep")

    dropped = grade(feedback, owners=made.roster)

    np.testing.assert_array_equal(dropped.items["score"], honest.items["score"])
    assert np.mean(places(honest, items) - places(kept, items)) > 3  # what they would have gained
    assert len(dropped.left_out) == ADMIRERS
    assert len(dropped.preflight.finding("own-work").cases) == ADMIRERS


def test_what_was_left_out_is_in_every_record():
    feedback = Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["y", "x", "z"]), ("cyd", ["z", "x", "y"])])

    result = grade(feedback, owners={"student": ["ada", "bob"], "item": ["x", "w"]})

    row = {"task": "1", "grader": "ada", "item": "x", "known_by": "roster"}
    assert record(result)["left_out"] == [row]
    assert json.loads(json.dumps(result.provenance))["left_out"] == [row]
    assert result.provenance["options"]["self_reviews"] == "drop"
    assert (
        result.sentences["self_reviews"] == "1 review of the grader's own work was left out of the grading."
    )
    assert result.feedback.n_entries == 7


def test_a_class_without_own_work_says_nothing_of_it():
    result = grade(Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["y", "x"])]))

    assert result.left_out.is_empty()
    assert "self_reviews" not in result.sentences

"""Staff grades on another scale than the peers'."""

import numpy as np
import polars as pl
import pytest

from peerage import DataError, Feedback, Staff, explain, grade, read, simulate
from peerage.grading.staff.scales import grade_step

MADE = simulate(items=42, graders=120, per_grader=6, seed=4, staff=(Staff("TA1", 0.0, 0.5),))
FEEDBACK = read(MADE.rows)
STAFF = MADE.staff.select("item", "score").sample(7, seed=1)
HUNDRED = STAFF.with_columns(pl.col("score") * 10)


def points(**options):
    return grade(FEEDBACK, **options).items["points"].to_numpy()


def test_stated_scales_are_used():
    got = points(anchors=HUNDRED, scale="0:100", peer_scale="0:10")

    np.testing.assert_allclose(got, 10 * points(anchors=STAFF, scale="0:10"), rtol=0.01)


def test_ten_times_is_plain():
    result = grade(FEEDBACK, anchors=HUNDRED)

    got = result.items["points"]
    assert got[0] - got[-1] > 20  # and not 3, as when the scales are taken for one
    assert "the scores were taken times 10" in result.sentences["points"]


@pytest.mark.parametrize(
    ("factor", "options", "message"),
    [
        (3, {}, r"these seem to be two scales; say both scales, scale="),
        (0.1, {}, "these seem to be two scales"),
        (10, {"scale": "0:10"}, r"the staff grade \d+ of item 'item\d+' lies beyond the scale 0:10"),
        (1, {"scale": "0:100"}, "a small part of the scale 0:100"),
    ],
)
def test_scales_that_do_not_fit_each_other_are_refused(factor, options, message):
    with pytest.raises(DataError, match=message):
        grade(FEEDBACK, anchors=STAFF.with_columns(pl.col("score") * factor), **options)


def test_orders_have_no_scale_of_their_own_and_equal_staff_grades_give_them_none():
    rank = pl.col("score").rank("min", descending=True).over("grader")
    orders = read(MADE.rows.select("grader", "item", rank=rank))

    points = grade(orders, anchors=HUNDRED, scale="0:100").items["points"]

    assert points[0] - points[-1] > 10
    with pytest.raises(DataError, match="all 7 staff grades of items are 7: they cannot say"):
        grade(orders, anchors=STAFF.with_columns(score=pl.lit(7.0)))


def test_lenient_peers_are_of_one_scale():
    harsh = STAFF.with_columns(pl.col("score") - 5)

    assert grade(FEEDBACK, anchors=harsh).validity.conversion.slope == 1


def test_what_a_list_did_is_told_on_the_staff_scale():
    """Once peers' scores of 0:10 were taken for points of 0:100: every effect was ten times too small."""
    item, scales = STAFF["item"][0], {"scale": "0:100", "peer_scale": "0:10"}

    tenth = explain(grade(FEEDBACK, anchors=STAFF, scale="0:10"), item).lists["points_change"]
    whole = explain(grade(FEEDBACK, anchors=HUNDRED, **scales), item).lists["points_change"]

    np.testing.assert_allclose(whole, 10 * tenth, rtol=0.02, atol=0.01)


def test_the_step_of_staff_grades_is_seen_where_there_are_enough():
    assert grade_step(np.array([7.0, 8.5, 6.0, 7.5, 9.0])) == 0.5
    assert grade_step(np.array([70.0, 85.0, 60.0, 75.0, 90.0])) == 5.0
    assert grade_step(np.array([7.0, 8.0, 6.0])) == 0.5  # half points may all be whole ones by luck
    assert grade_step(np.array([7.13, 8.02, 6.5, 7.0, 5.0])) is None


def test_a_letter_begins_where_staff_round_up_to_it():
    """With grades in half points, 8.5 stands for 8.25 to 8.75: chances of 8.5 or more are higher for it."""
    rng = np.random.default_rng(0)
    graders, items = np.divmod(np.arange(30 * 12), 12)
    given = 5.0 + 0.3 * items + rng.normal(0.0, 1.0, len(items))
    columns = [f"g{g:02}" for g in graders], [f"i{i:02}" for i in items]
    feedback = Feedback.from_columns(*columns, score=given)
    labels = [f"i{i:02}" for i in range(0, 12, 2)]
    coarse = pl.DataFrame({"item": labels, "score": [5.0, 5.5, 6.5, 6.5, 8.0, 8.0]})
    fine = coarse.with_columns(pl.col("score") + pl.Series([0.013, -0.011, 0.007, -0.009, 0.004, -0.004]))
    graded = [grade(feedback, anchors=staff, scale="0:10", letters="A>=7,B") for staff in (coarse, fine)]

    chances = [result.letter_chances[:, 0].mean() for result in graded]
    assert chances[0] > chances[1] + 0.02

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from peerage import DataError, Staff, fit, grade, posterior, read, simulate
from peerage.grading.staff.anchors import read_anchors
from peerage.grading.staff.validity import validate

MADE = simulate(items=60, graders=150, per_grader=6, seed=4, staff=(Staff("TA1", -1.0, 0.5),))
FEEDBACK = read(MADE.rows)
ORDERS = read(
    MADE.rows.select("grader", "item", rank=pl.col("score").rank("min", descending=True).over("grader"))
)
STAFF = MADE.staff.select("item", "source", "score")


@pytest.fixture(scope="module")
def anchored():
    return grade(FEEDBACK, anchors=STAFF.head(20), letters="A>=8,B>=6,C")


def test_points_and_intervals_hold_the_grades_that_staff_did_not_show(anchored):
    rest = anchored.items.drop("staff").join(STAFF.tail(-20).select("item", staff="score"), on="item")

    error = np.sqrt(((rest["points"] - rest["staff"]) ** 2).mean())
    inside = (rest["points_low"] <= rest["staff"]) & (rest["staff"] <= rest["points_high"])

    assert error == pytest.approx(anchored.validity.error, rel=0.5)
    assert error < anchored.validity.raw_error
    assert inside.mean() > 0.75


def test_intervals_of_points_are_wider_than_the_peers_own(anchored):
    widths, peers = (
        (anchored.items[f"{name}_high"] - anchored.items[f"{name}_low"]).mean()
        for name in ("points", "score")
    )

    assert anchored.validity.gap > 0
    assert widths > anchored.validity.maps[0].slope * peers


def test_staff_grades_are_shown_beside_and_asked_for_elsewhere(anchored):
    text = anchored.sentences["validity"]

    assert anchored.items["staff"].is_not_null().sum() == 20
    assert not set(anchored.staff_list["item"]) & set(STAFF.head(20)["item"])
    assert "Staff graded 20 items" in text
    assert "The plain mean of the peers' scores, tied to the staff grades in the same way, is off by" in text
    assert "Giving everybody the staff's mean would be off by" in text


def test_as_evidence_a_staff_graded_item_gets_its_grade():
    result = grade(FEEDBACK, anchors=STAFF.head(20), letters="A>=8,B>=6,C", anchors_as_evidence=True)

    seen = result.items.drop_nulls("staff")
    np.testing.assert_allclose(seen["points"], seen["staff"])
    assert (seen["letter_probability"] == 1).all()


def test_as_evidence_staff_who_disagree_leave_doubt():
    other = STAFF.head(20).with_columns(pl.col("score") + pl.Series([1.0, -1.0] * 10), source=pl.lit("TA9"))

    result = grade(FEEDBACK, anchors=pl.concat([STAFF.head(20), other]), anchors_as_evidence=True)

    seen = result.items.drop_nulls("staff")
    assert result.validity.anchors.staff_noise > 0.5
    assert ((seen["points_high"] - seen["points_low"]) > 0.5).all()


def test_the_scale_cuts_points_and_their_intervals():
    harsh = STAFF.head(20).with_columns(pl.col("score").clip(upper_bound=7.0))

    items = grade(FEEDBACK, anchors=harsh, scale="0:7", peer_scale="0:10", letters="A>=6,B").items

    assert items["points"].max() <= 7.0
    assert items["points_high"].max() == 7.0


def test_orders_get_a_line_to_the_staffs_scale():
    validity = grade(ORDERS, anchors=STAFF.head(12)).validity

    assert validity.maps[0].shape == "line"
    assert validity.raw_error is None
    assert validity.error < validity.mean_error
    with pytest.raises(DataError, match=r"2 staff grades of items: a map .* needs at least 3"):
        grade(FEEDBACK, anchors=STAFF.head(2))


def test_anchored_grades_beat_the_raw_peer_mean_on_the_mooc(datasets: Path):
    folder = datasets / "mifei_mooc"
    if not folder.is_dir():
        pytest.skip(f"no mifei_mooc in {datasets}")

    validity = grade(read(folder / "feedback.csv"), anchors=folder / "truth.csv").validity

    assert validity.n == 23
    assert validity.error < validity.raw_error == pytest.approx(3.46, abs=0.01)
    assert validity.error < validity.mean_error


POSTERS = Path(__file__).parents[2] / "examples" / "posters"


def test_the_posters_gain_nothing_over_their_anchored_mean_and_are_told_so():
    result = grade(read(POSTERS / "feedback.csv"), anchors=POSTERS / "staff.csv")

    found = result.validity.error, result.validity.anchored_mean_error
    assert found == pytest.approx((1.14, 1.15), abs=0.01)
    assert "in the same way, is off by 1.15, which is no clear difference" in result.sentences["validity"]


def test_few_staff_grades_are_said_to_make_wide_intervals_and_orders_unsure_letters():
    below = STAFF.with_columns(pl.col("score") - 20)  # no scale that anybody uses

    scores = grade(FEEDBACK, anchors=STAFF.head(3), letters="A>=8,B").sentences
    plain = grade(ORDERS, anchors=STAFF.head(3), letters="A>=8,B").sentences
    odd = grade(ORDERS, anchors=below.head(3), letters="A>=-12,B").sentences

    assert "With 3 staff grades they mostly lean to the safe side" in scores["intervals"]
    for letters in (scores["letters"], plain["letters"]):
        assert "chances above one half were off by 1 point over five kinds" in letters
        assert letters.endswith("up to 18 points too high where staff and peers agree least.")
    assert "were up to 18 points too high in trials: state the scale" in odd["letters"]


def test_coverage_is_that_of_grades_left_out():
    """An outlier is outside the interval that the others make, however wide its own would be."""
    fitted = fit(FEEDBACK, "ncs+g")
    odd = STAFF.head(20).with_columns(score=pl.when(pl.col("item") == "item01").then(0.0).otherwise("score"))

    told = validate(fitted, posterior(fitted).score_se, read_anchors(odd, FEEDBACK), level=0.9)

    which = told.anchors.items.tolist().index(FEEDBACK.item_number("item01"))
    assert told.maps[0].below[which] < 0.05
    assert told.coverage <= 19 / 20
    assert 0 < told.gap_low < told.gap < told.gap_high


@pytest.mark.parametrize(("score", "count"), [(7.0, 3), (6.3, 7)])
def test_staff_grades_that_are_all_the_same_tell_nothing_of_peers(score, count):
    same = STAFF.head(count).with_columns(score=pl.lit(score))

    graded = grade(FEEDBACK, anchors=same)

    assert "The staff grades are all the same" in graded.sentences["validity"]
    assert graded.items["points"].is_finite().all()
    spread = graded.items["points_high"] - graded.items["points_low"]
    assert (spread > 0).all()
    held = (graded.items["points_low"] <= score) & (score <= graded.items["points_high"])
    assert held.mean() > 0.5

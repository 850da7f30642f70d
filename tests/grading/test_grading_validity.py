from pathlib import Path

import numpy as np
import polars as pl
import pytest

from peerage import DataError, Feedback, Staff, fit, grade, posterior, read, simulate
from peerage.grading import sentences
from peerage.grading.staff.anchors import read_anchors
from peerage.grading.staff.validity import validate

MADE = simulate(items=60, graders=150, per_grader=6, seed=4, staff=(Staff("TA1", -1.0, 0.5),))
FEEDBACK = read(MADE.rows)
STAFF = MADE.staff.select("item", "source", "score")


@pytest.fixture(scope="module")
def anchored():
    return grade(FEEDBACK, anchors=STAFF.head(20), letters="A>=8,B>=6,C")


def test_points_are_near_the_grades_that_staff_did_not_show(anchored):
    rest = anchored.items.drop("staff").join(STAFF.tail(-20).select("item", staff="score"), on="item")
    error = np.sqrt(((rest["points"] - rest["staff"]) ** 2).mean())

    assert error == pytest.approx(anchored.validity.error, rel=0.5)
    assert error < anchored.validity.raw_error


def test_intervals_hold_the_grades_that_staff_did_not_show(anchored):
    rest = anchored.items.drop("staff").join(STAFF.tail(-20).select("item", staff="score"), on="item")

    inside = (rest["points_low"] <= rest["staff"]) & (rest["staff"] <= rest["points_high"])

    assert inside.mean() > 0.75


def test_intervals_of_points_are_wider_than_the_peers_own(anchored):
    widths = (anchored.items["points_high"] - anchored.items["points_low"]).mean()
    peers = (anchored.items["score_high"] - anchored.items["score_low"]).mean()

    assert anchored.validity.gap > 0
    assert widths > anchored.validity.maps[0].slope * peers


def test_the_sentence_compares_with_the_simple_ways(anchored):
    text = anchored.sentences["validity"]

    assert "Staff graded 20 items" in text
    assert "The plain mean of the peers' scores, tied to the staff grades in the same way, is off by" in text
    assert "Giving everybody the staff's mean would be off by" in text


def test_staff_grades_are_shown_beside(anchored):
    assert anchored.items["staff"].is_not_null().sum() == 20


def test_staff_is_not_sent_to_what_staff_has_graded(anchored):
    assert not set(anchored.staff_list["item"]) & set(STAFF.head(20)["item"])


def test_as_evidence_a_staff_graded_item_gets_its_grade():
    result = grade(FEEDBACK, anchors=STAFF.head(20), letters="A>=8,B>=6,C", anchors_as_evidence=True)

    seen = result.items.drop_nulls("staff")
    np.testing.assert_allclose(seen["points"], seen["staff"])
    assert (seen["letter_probability"] == 1).all()


def test_as_evidence_staff_who_disagree_leave_doubt():
    twice = pl.concat(
        [
            STAFF.head(20),
            STAFF.head(20).with_columns(
                source=pl.lit("TA9"), score=pl.col("score") + pl.Series([1.0, -1.0] * 10)
            ),
        ]
    )

    result = grade(FEEDBACK, anchors=twice, anchors_as_evidence=True)

    seen = result.items.drop_nulls("staff")
    assert result.validity.anchors.staff_noise > 0.5
    assert ((seen["points_high"] - seen["points_low"]) > 0.5).all()


def test_the_scale_cuts_points_and_their_intervals():
    harsh = STAFF.head(20).with_columns(pl.col("score").clip(upper_bound=7.0))

    items = grade(FEEDBACK, anchors=harsh, scale="0:7", peer_scale="0:10", letters="A>=6,B").items

    assert items["points"].max() <= 7.0
    assert items["points_high"].max() == 7.0


def test_two_staff_grades_are_too_few():
    with pytest.raises(DataError, match=r"2 staff grades of items: a map .* needs at least 3"):
        grade(FEEDBACK, anchors=STAFF.head(2))


def test_orders_get_a_line_to_the_staffs_scale():
    rows = MADE.rows.with_columns(rank=pl.col("score").rank("min", descending=True).over("grader"))
    orders = Feedback.from_columns(rows["grader"], rows["item"], rank=rows["rank"])

    result = grade(orders, anchors=STAFF.head(12))

    assert result.validity.maps[0].shape == "line"
    assert result.validity.raw_error is None
    assert result.validity.error < result.validity.mean_error


def test_anchored_grades_beat_the_raw_peer_mean_on_the_mooc(datasets: Path):
    folder = datasets / "mifei_mooc"
    if not folder.is_dir():
        pytest.skip(f"no mifei_mooc in {datasets}")

    validity = grade(read(folder / "feedback.csv"), anchors=folder / "truth.csv").validity

    assert validity.n == 23
    assert validity.error < validity.raw_error == pytest.approx(3.46, abs=0.01)
    assert validity.error < validity.mean_error


POSTERS = Path(__file__).parents[2] / "examples" / "posters"
RESULTS = Path(__file__).parents[2] / "experiments" / "results"


def test_the_posters_gain_nothing_over_their_anchored_mean_and_are_told_so():
    result = grade(read(POSTERS / "feedback.csv"), anchors=POSTERS / "staff.csv")

    found = result.validity.error, result.validity.anchored_mean_error
    assert found == pytest.approx((1.14, 1.15), abs=0.01)
    assert "in the same way, is off by 1.15, which is no clear difference" in result.sentences["validity"]


def test_few_staff_grades_are_said_to_make_wide_intervals_and_orders_unsure_letters():
    rows = MADE.rows.with_columns(rank=pl.col("score").rank("min", descending=True).over("grader"))
    orders = Feedback.from_columns(rows["grader"], rows["item"], rank=rows["rank"])
    below = STAFF.with_columns(pl.col("score") - 20)  # no scale that anybody uses

    scores = grade(FEEDBACK, anchors=STAFF.head(3), letters="A>=8,B").sentences
    plain = grade(orders, anchors=STAFF.head(3), letters="A>=8,B").sentences
    odd = grade(orders, anchors=below.head(3), letters="A>=-12,B").sentences

    assert "With 3 staff grades they mostly lean to the safe side" in scores["intervals"]
    for letters in (scores["letters"], plain["letters"]):
        assert "chances above one half were off by 1 point over five kinds" in letters
        assert letters.endswith("up to 18 points too high where staff and peers agree least.")
    assert "were up to 18 points too high in trials: state the scale" in odd["letters"]


@pytest.mark.parametrize(
    ("anchors", "held", "off"),
    [
        ([3], sentences.FEW_HELD, sentences.FEW_OFF),
        ([6, 12], sentences.SOME_HELD, sentences.SOME_OFF),
    ],
)
def test_what_few_staff_grades_cost_is_what_was_measured(anchors, held, off):
    rows = pl.read_csv(RESULTS / "anchor_coverage.csv").filter(pl.col("anchors").is_in(anchors))
    kinds, together = rows.filter(pl.col("kind") != "all"), rows.filter(kind="all")

    coverage = (100 * kinds["coverage"]).round(0)

    assert (coverage.min(), coverage.max()) == held
    assert round(100 * together["too_high"].abs().max()) == off[0] <= 4
    assert round(100 * kinds["too_high"].max()) == off[1]


def test_no_class_is_told_that_there_is_no_gap():
    fitted = fit(FEEDBACK, "ncs+g")
    errors = posterior(fitted).score_se
    for seed in range(40):
        given = read_anchors(STAFF.sample(3, seed=seed), FEEDBACK)

        validity = validate(fitted, errors, given, level=0.9)

        assert 0 < validity.gap_low <= validity.gap <= validity.gap_high
        assert " 0.00" not in validity.sentence


def test_coverage_is_that_of_grades_left_out():
    """An outlier is outside the interval that the others make, however wide its own would be."""
    fitted = fit(FEEDBACK, "ncs+g")
    odd = STAFF.head(20).with_columns(score=pl.when(pl.col("item") == "item01").then(0.0).otherwise("score"))

    told = validate(fitted, posterior(fitted).score_se, read_anchors(odd, FEEDBACK), level=0.9)

    which = told.anchors.items.tolist().index(FEEDBACK.item_number("item01"))
    assert told.maps[0].below[which] < 0.05
    assert told.coverage <= 19 / 20


@pytest.mark.parametrize("score", [7.0, 7.1, 6.3])
@pytest.mark.parametrize("count", [3, 7])
def test_staff_grades_that_are_all_the_same_tell_nothing_of_peers(score, count):
    same = STAFF.head(count).with_columns(score=pl.lit(score))

    graded = grade(FEEDBACK, anchors=same)

    assert "The staff grades are all the same" in graded.sentences["validity"]
    assert graded.items["points"].is_finite().all()
    spread = graded.items["points_high"] - graded.items["points_low"]
    assert (spread > 0).all()
    held = (graded.items["points_low"] <= score) & (score <= graded.items["points_high"])
    assert held.mean() > 0.5

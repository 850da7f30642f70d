"""Findings about items, their labels, and ranks that contradict scores."""

import numpy as np
import pytest
from hypothesis import given

import naive
from peerage import Feedback, check, read
from peerage.checking.findings import lost_and_won
from strategies import feedbacks

ROUND = [("ada", ["x", "y", "z"]), ("bob", ["y", "z", "x"]), ("cyd", ["z", "x", "y"])]


@given(feedbacks())
def test_wins_and_losses_are_those_of_the_strict_pairs(feedback):
    lost, won = lost_and_won(feedback)

    beats = [pair for order in naive.orders_of(feedback) for pair in naive.strict_pairs(order.buckets)]
    assert set(np.flatnonzero(won)) == {i for i, _ in beats}
    assert set(np.flatnonzero(lost)) == {j for _, j in beats}


ABOUT_ITEMS = ("few-reviews", "unreviewed", "always-wins", "never-wins")


@pytest.mark.parametrize(
    ("feedback", "options", "expected"),
    [
        (Feedback.from_orders(ROUND), {}, {}),
        (Feedback.from_orders(ROUND), {"min_reviews": 4}, {"few-reviews": ["x (3)", "y (3)", "z (3)"]}),
        (Feedback.from_orders(ROUND).with_items(["w"]), {}, {"unreviewed": ["w"]}),
        (  # fewest first
            Feedback.from_orders([*ROUND, ("dan", ["x", "twice"]), ("eve", ["twice", "x", "once"])]),
            {},
            {"few-reviews": ["once (1)", "twice (2)"], "never-wins": ["once (1)"]},
        ),
        (  # a tie is neither won nor lost
            Feedback.from_orders(
                [*ROUND, ("dan", ["top", "x"]), ("eve", [{"y", "z"}, "low"]), ("fay", [{"tied", "x"}])]
            ),
            {"min_reviews": 1},
            {"always-wins": ["top (1)"], "never-wins": ["low (1)"]},
        ),
        (  # weights count
            Feedback.from_columns(["ada"] * 2, ["x", "y"], rank=[1, 2], weight=[3, 3]),
            {},
            {"always-wins": ["x (1)"], "never-wins": ["y (1)"]},
        ),
    ],
)
def test_items_of_which_little_is_known_are_named(feedback, options, expected):
    preflight = check(feedback, **options)
    findings = {code: finding for code in ABOUT_ITEMS if (finding := preflight.finding(code))}

    assert {code: finding.examples() for code, finding in findings.items()} == expected
    for code, finding in findings.items():
        assert len(finding.cases) == len(expected[code])
        assert finding.severity == ("info" if code.endswith("wins") else "warning")


@pytest.mark.parametrize(
    ("typed", "cases"),
    [
        ([77], ["77 by g0 for i0"]),
        ([77, -50], ["77 by g0 for i0", "-50 by g1 for i0"]),
        ([0], []),  # a harsh score may be meant
        ([], []),
    ],
)
def test_scores_far_from_all_others_are_named(typed, cases):
    scores = [*typed, *(6 + (7 * n) % 6 for n in range(60 - len(typed)))]
    columns = [f"g{n % 5}" for n in range(60)], [f"i{n // 5}" for n in range(60)]

    finding = check(Feedback.from_columns(*columns, score=scores)).finding("scores-far-out")

    assert ([] if finding is None else finding.examples()) == cases


# -- Ranks and scores of one file that contradict each other ---------------------------------------


def against_scores(*lists):
    """What is found where graders give x, y and z these ranks and scores, and no reader asks about them."""
    graders, ranks, scores = zip(*lists, strict=True)
    names, items = np.repeat(graders, 3), ["x", "y", "z"] * len(lists)
    feedback = Feedback.from_columns(names, items, rank=np.ravel(ranks), score=np.ravel(scores))
    return check(feedback).finding("ranks-against-scores")


def test_feedback_whose_scores_run_the_other_way_is_a_warning():
    finding = against_scores(
        ("a", (1, 2, 3), (1, 4, 9)), ("b", (2, 1, 3), (3, 2, 7)), ("c", (1, 2, 3), (5, 5, 5))
    )

    assert finding.severity == "warning"
    assert finding.found == "2 lists of 2 have ranks and scores that contradict each other."
    assert finding.cases["grader"].to_list() == ["a", "b"]
    assert "upside down" in finding.means


def test_agreement_is_not_told_and_one_grader_of_many_is_a_remark():
    right = [(f"g{which}", (1, 2, 3), (9, 8, 3)) for which in range(9)]

    finding = against_scores(*right, ("b", (2, 1, 3), (3, 2, 7)))

    assert (finding.severity, finding.examples()) == ("info", ["b"])
    assert against_scores(*right, ("b", (2, 1, 3), (7, 9, 7))) is None


def test_the_preflight_says_which_way_numbers_were_read():
    found = check(read(b"grader,item,rank\na,x,1\na,y,2\n")).to_dict()

    assert found["direction"] == {
        "measure": "ranks",
        "best": "low",
        "why": "'rank' is the name of ranks",
        "by": "names",
        "sentence": "1 is read as best",
    }


# -- Where scores say how far apart items are, no finding blames the prior -------------------------


def test_scores_say_how_far_apart_items_are():
    graders, items = ["ada"] * 3 + ["bob"] * 3, ["x", "y", "z"] * 2
    scored = check(Feedback.from_columns(graders, items, score=[9.0, 5.0, 1.0, 8.0, 6.0, 2.0]))
    ordered = check(Feedback.from_columns(graders, items, rank=[1, 2, 3, 1, 2, 3]))

    for code in ("always-wins", "never-wins", "one-way"):
        assert "prior" in ordered.finding(code).means
        assert "prior" not in scored.finding(code).means
        assert "scores" in scored.finding(code).means

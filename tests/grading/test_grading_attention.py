import numpy as np
import polars as pl
import pytest

from peerage import Feedback, fit, grade, posterior, read_roster, simulate
from peerage.grading import attention
from peerage.grading.attention import _edges, _error, _expected_error, expected_gains
from peerage.grading.items import ItemPoints
from peerage.grading.letters import assign_letters, parse_letters

FEEDBACK = simulate(items=30, graders=60, per_grader=5, model="pl", sd=1.0, seed=6).feedback()


@pytest.fixture(scope="module")
def result():
    return grade(FEEDBACK, method="pl+g", letters="A:20%,B:30%,C:50%", staff_budget=6)


def test_the_budget_is_spent_on_letters_in_doubt_and_gains_fall(result):
    listed, sure = result.staff_list, dict(result.items.select("item", "letter_probability").rows())
    left = listed["left_after"].to_list()

    assert listed["item"].n_unique() == len(listed) == 6
    assert left == sorted(left, reverse=True)
    assert (listed["expected_gain"] > 0).all()
    assert max(sure[item] for item in listed["item"]) < np.median(list(sure.values()))
    assert result.sentences["staff"].startswith("Grading 6 items would help most")


def gains_of(rule, mean, draws, budget):
    """The letters decided, the items that staff should grade, and what each gains."""
    starts, nobody = np.array([0, len(mean)]), np.empty(0, int)
    decided = assign_letters(rule, mean, draws, np.arange(1, len(mean) + 1), starts)
    points, doubt = ItemPoints(mean, draws, None), 1 - decided.probability
    return decided, *expected_gains(points, starts, rule, doubt, nobody, budget, nobody)


def test_grading_what_is_listed_puts_about_as_many_letters_right_as_promised():
    rng = np.random.default_rng(0)
    mean, sd = np.linspace(3, 0, 30), 0.3
    rule = parse_letters("A>=2,B>=1,C")
    own, promised = [], []
    for _ in range(200):
        truth = mean + sd * rng.normal(size=30)
        decided, best, gains = gains_of(rule, mean, mean + sd * rng.normal(size=(400, 30)), 5)
        own.append(np.sum(rule.by_points(truth[best]) != decided.numbers[best]))
        promised.append(gains.sum())

    assert np.mean(promised) == pytest.approx(np.mean(own), abs=0.3)


def test_items_that_err_together_teach_about_each_other():
    rng = np.random.default_rng(0)
    common = rng.normal(size=(500, 1))
    draws = np.hstack([common + 0.05 * rng.normal(size=(500, 4)), 3 + rng.normal(size=(500, 1))])

    _, best, gains = gains_of(parse_letters("A>=0,B"), np.zeros(5), draws, 2)

    assert best[0] < 4
    assert gains[0] > 1.5  # one item settles four letters, each wrong with a chance of a half
    assert gains[1] < 0.5


def test_expected_error_agrees_with_simulation():
    mean, sd, r, edges = np.array([0.3]), np.array([1.0]), np.array([0.8]), np.array([1.0, 0.0])
    learned = 0.3 + 0.8 * np.random.default_rng(0).normal(size=20_000)

    after = _error(learned, np.full(20_000, 0.6), edges).mean()

    assert _expected_error(mean, sd, r, edges)[0] == pytest.approx(after, abs=0.02)
    assert after < _error(mean, sd, edges)[0]


def test_quotas_have_their_boundaries_between_items():
    assert _edges(parse_letters("A:25%,B:75%"), np.array([1.0, 4.0, 2.0, 3.0])).tolist() == [3.5]


def test_pairs_lie_across_a_boundary_and_in_doubt(result):
    letters = dict(result.items.select("item", "letter").rows())

    for row in result.pairs_list.iter_rows(named=True):
        assert letters[row["item"]] != letters[row["other"]]
        assert row["rank"] <= row["other_rank"]
    assert result.pairs_list["expected_gain"][0] > 0.2


def test_only_pairs_whose_order_is_open_are_listed():
    """With a large budget and a clear class, pairs of 98 to 100 % filled the list."""
    clear = simulate(items=12, graders=60, per_grader=6, model="pl", sd=4.0, seed=6).feedback()

    listed = grade(clear, method="pl", staff_budget=40).pairs_list

    assert 0 < len(listed) < 40
    assert listed["chance_above"].is_between(0.1, 0.9).all()


def test_without_letters_places_are_counted():
    found = grade(FEEDBACK, method="pl").staff_list

    assert len(found) == 10
    assert found["expected_gain"][0] > 1


def test_nobody_is_asked_to_review_again(result):
    done = set(FEEDBACK.to_frame().select("grader", "item").rows())

    assert not done & set(result.next_reviews.select("grader", "item").rows())
    assert result.next_reviews["grader"].n_unique() == 6


def test_nobody_is_asked_to_review_their_own_work():
    orders = Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["x", "y"]), ("cyd", ["y", "z"])])
    roster = read_roster({"student": ["ada", "bob", "cyd"], "item": ["z", "z", "x"]})

    asked = grade(orders, owners=roster).next_reviews.select("grader", "item").rows()

    assert not {("ada", "z"), ("bob", "z"), ("cyd", "x")} & set(asked)


def test_graders_to_talk_to_are_not_asked_for_more():
    result = grade(simulate(items=20, graders=60, per_grader=6, lazy=0.2, seed=3).feedback())

    flat = [one.cases["grader"] for one in result.preflight.findings if one.code in ("flat", "all-tied")]
    flagged = result.graders.filter(pl.col("flag").is_in(["reversed", "chance", "ties"]))["grader"].to_list()
    told = {*flagged, *(name for names in flat for name in names)}
    assert len(result.next_reviews) > 0
    assert told.isdisjoint(result.next_reviews["grader"])


def test_the_most_trusted_is_passed_over_where_something_is_said_of_them():
    feedback = Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["y", "z"]), ("cyd", ["x", "z"])])
    known, ranks = posterior(fit(feedback, "pl")), np.array([1, 2, 3])
    trust = np.array([3.0, 2.0, 1.0])

    def asked(doubtful):
        reviews = attention.next_reviews(feedback, known, ranks, trust, None, 3, np.array(doubtful))
        return set(reviews["grader"])

    assert "ada" in asked([False, False, False])
    assert asked([True, False, False]) == {"bob", "cyd"}

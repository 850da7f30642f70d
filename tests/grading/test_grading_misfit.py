"""Infit and outfit against enumeration and by hand; who is disputed; what that widens."""

from itertools import permutations

import numpy as np
import pytest

from peerage import Feedback, fit, grade, posterior
from peerage.grading import misfit
from peerage.grading.misfit import LEAST_REVIEWS, _moments, disputed_sentence, measure_misfit
from peerage.report import report_html


def class_of_orders(seed, *, apart=0.0, items=30, graders=90, length=6):
    """Plackett-Luce; of item i00 every grader is of one of two minds, so far from the middle."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(0.0, 1.5, items)
    truth[0] = 0.0
    orders = []
    for grader in range(graders):
        row = rng.permutation(items)[:length]
        seen = truth[row] + np.where(row == 0, apart * rng.choice([-1, 1]), 0.0)
        best_first = row[np.argsort(-(seen + rng.gumbel(size=length)))]
        orders.append((f"g{grader:03}", [f"i{item:02}" for item in best_first]))
    return Feedback.from_orders(orders)


def class_of_scores(seed, *, apart=0.0, far_out=0.0, items=30, graders=60, length=6):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=items)
    rows = [(grader, item) for grader in range(graders) for item in rng.permutation(items)[:length]]
    graders, reviewed = np.array(rows).T
    noise = rng.normal(size=len(rows)) * np.where(rng.random(len(rows)) < far_out, 5.0, 1.0)
    sides = np.where(reviewed == 0, apart * rng.choice([-1, 1], len(rows)), 0.0)
    return Feedback.from_columns(
        [f"g{g:03}" for g in graders],
        [f"i{i:02}" for i in reviewed],
        score=7.0 + truth[reviewed] + noise + sides,
    )


def test_moments_are_those_of_all_orders_of_a_list():
    x = np.array([1.3, 0.4, -0.2, -1.9])
    chances = {}
    for order in permutations(range(4)):
        worth = np.exp(x[list(order)])
        chances[order] = np.prod([worth[place] / worth[place:].sum() for place in range(4)])
    put_above = {order: 3 - np.argsort(order) for order in chances}
    mean = sum(chance * put_above[order] for order, chance in chances.items())
    off = {order: put_above[order] - mean for order in chances}
    variance, fourth = (sum(chances[order] * off[order] ** power for order in chances) for power in (2, 4))
    apart = ~np.eye(4, dtype=bool)[None]
    above = np.where(apart, 1.0 / (1.0 + np.exp(x[None, :] - x[:, None])), 0.0)

    found = _moments(above, apart)

    assert sum(chances.values()) == pytest.approx(1.0)
    assert above.sum(axis=2)[0] == pytest.approx(mean)
    assert found[0][0] == pytest.approx(variance, rel=2e-3)
    assert found[1][0] == pytest.approx(fourth, rel=5e-3)


def test_tied_items_of_a_list_say_nothing_of_each_other():
    apart = np.array([[[False, False, True], [False, False, True], [True, True, False]]])

    variance, _ = _moments(np.where(apart, 0.5, 0.0), apart)

    assert variance[0] == pytest.approx([0.25, 0.25, 0.25 + 0.25 + 2 * (1 / 3 - 1 / 4)], rel=2e-3)


def test_mean_squares_of_scores_by_hand():
    feedback = class_of_scores(1)
    fitted = fit(feedback, "ncs+g", variances="learn")
    known = posterior(fitted)
    graders, items = feedback.entry_graders, feedback.items
    noise, doubt = fitted.noise_variance_ / fitted.reliabilities_, known.log_reliability[1] ** 2
    bias_known = 1 / (np.bincount(graders) / noise + 1 / fitted.bias_variance_)
    squares = (feedback.scores - fitted.scores_[items] - fitted.biases_[graders]) ** 2
    expected = ((noise - bias_known)[graders] - known.score_se[items] ** 2) * np.exp(doubt)[graders]

    found = measure_misfit(fitted, known)

    mine, theirs = items == 3, graders == 5
    assert found.infit[3] == pytest.approx(squares[mine].sum() / expected[mine].sum())
    assert found.outfit[3] == pytest.approx((squares[mine] / expected[mine]).mean())
    assert found.grader_infit[5] == pytest.approx(squares[theirs].sum() / expected[theirs].sum())
    assert found.grader_outfit[5] == pytest.approx((squares[theirs] / expected[theirs]).mean())


@pytest.mark.parametrize(
    ("made", "method", "far_out"),
    [
        (class_of_orders, "pl+g", {}),
        (class_of_scores, "ncs+g", {}),
        (class_of_scores, "ncs", {"far_out": 0.15}),
        (class_of_scores, "ncs+g", {"far_out": 0.15}),
    ],
)
def test_where_the_model_is_right_mean_squares_are_about_1_and_nothing_is_disputed(made, method, far_out):
    """With 0.05 items per class, more than one in four classes would be 1 in 60."""
    params = {} if method == "pl+g" else {"variances": "learn"}
    fits = [fit(made(seed, **far_out), method, **params) for seed in range(4)]

    found = [measure_misfit(fitted, posterior(fitted, draws=50)) for fitted in fits]

    assert np.mean([misfits.infit for misfits in found]) == pytest.approx(1.0, abs=0.06)
    assert sum(int(misfits.disputed.sum()) for misfits in found) <= 1


@pytest.mark.parametrize(("made", "apart"), [(class_of_orders, 4.0), (class_of_scores, 3.0)])
def test_an_item_that_splits_the_class_is_named_and_its_interval_is_wider(made, apart):
    split = grade(made(2, apart=apart))
    row = split.items.filter(item="i00").row(0, named=True)
    narrow = posterior(split.fitted)
    number = split.feedback.item_number("i00")

    assert split.items.filter(disputed=1)["item"].to_list() == ["i00"]
    assert row["se"] > 1.3 * narrow.score_se[number]
    assert split.sentences["disputed"].startswith("Reviewers disagree about this one: i00.")
    assert split.staff_list.row(0, named=True)["item"] == "i00"
    assert split.staff_list["disputed"].to_list() == [1, *([0] * (len(split.staff_list) - 1))]
    assert "Reviewers disagree about this one: i00." in report_html(split)


def test_disputed_items_come_first_with_letters_too():
    split = grade(class_of_orders(2, apart=4.0), letters="A:30%,B:40%,C:30%", staff_budget=4)

    assert split.staff_list["item"][0] == "i00"
    assert split.staff_list["item"].n_unique() == 4


def test_long_lists_are_held_against_some_of_their_items(monkeypatch):
    fitted = fit(class_of_orders(2, apart=4.0, items=20, graders=30, length=20), "pl")
    known = posterior(fitted, draws=50)
    every = measure_misfit(fitted, known)
    monkeypatch.setattr(misfit, "MOST_OTHERS", 10)

    some = measure_misfit(fitted, known)

    assert np.argmax(some.infit) == np.argmax(every.infit) == 0
    assert np.corrcoef(some.infit, every.infit)[0, 1] > 0.9


def test_two_reviews_are_no_camps():
    feedback = Feedback.from_columns(list("abcdef"), list("xxyyzz"), score=[9.0, 1.0, 5.0, 5.0, 4.0, 4.0])
    fitted = fit(feedback, "ncs", variances="learn")

    found = measure_misfit(fitted, posterior(fitted))

    assert LEAST_REVIEWS == 3
    assert not found.disputed.any()
    assert (found.widening == 1.0).all()


def test_a_method_without_residuals_has_none():
    fitted = fit(class_of_orders(0, items=8, graders=20), "mal")

    found = measure_misfit(fitted, posterior(fitted, draws=50))

    assert np.isnan(found.infit).all()
    assert np.isnan(found.grader_infit).all()
    assert (found.widening == 1.0).all()


def test_a_bootstrap_is_not_widened_again():
    graded = grade(class_of_orders(2, apart=4.0, graders=40), bootstrap=40)
    again = posterior(graded.fitted, source="bootstrap", draws=40)

    assert graded.posterior.score_se == pytest.approx(again.score_se)
    assert "are not widened" in graded.sentences["uncertainty"]
    assert "wider" in disputed_sentence(["x"], widened=True)
    assert "wider" not in disputed_sentence(["x"], widened=False)
    assert "i9 and 2 more" in disputed_sentence([f"i{k}" for k in range(12)], widened=True)
    assert disputed_sentence([], widened=True) == ""


def test_widening_multiplies_every_variance_by_itself():
    known = posterior(fit(class_of_orders(3), "pl"), draws=4000)
    factor = np.ones(known.feedback.n_items)
    factor[4] = 2.5

    wide = known.widened(factor, np.random.default_rng(0))

    assert wide.score_se[4] == pytest.approx(2.5**0.5 * known.score_se[4])
    assert wide.score_se[5] == known.score_se[5]
    assert wide.draws[:, 4].std() == pytest.approx(wide.score_se[4], rel=0.05)
    assert wide.covariance[4, 4] == pytest.approx(2.5 * known.covariance[4, 4])
    assert wide.covariance[4, 5] == known.covariance[4, 5]
    assert abs(wide.above(4, 5) - 0.5) < abs(known.above(4, 5) - 0.5)
    assert known.widened(np.ones(len(factor)), np.random.default_rng(0)) is known

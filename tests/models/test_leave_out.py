"""Scores with one grader left out, against fits without that grader's lists."""

import numpy as np
import pytest

from peerage import Feedback, fit, simulate
from peerage.models import leave_out, thresholds
from peerage.models.base import clone
from peerage.models.leave_out import scores_without
from peerage.models.registry import method

CODES = ["pl", "pl+g", "bt+g", "thur+g", "mals+g", "ncs", "ncs+g"]
HELD = ["pl+g", "bt+g", "thur+g", "mals+g"]


@pytest.fixture
def by_steps(monkeypatch):
    """Also where graders are few."""
    monkeypatch.setattr(leave_out, "FEW_GRADERS", 0)


def a_class(code, **options):
    settings = {"items": 20, "graders": 40, "per_grader": 5, "seed": 3, **options}
    model = "normal" if code.startswith(("ncs", "sc")) else "pl"
    return simulate(model=model, **settings).feedback()


def refitted(fitted):
    """The slow way: one fit per grader."""
    feedback = fitted.feedback_
    scores = np.empty(feedback.n_entries)
    for grader in range(feedback.n_graders):
        others = feedback.take_lists(np.flatnonzero(feedback.list_graders != grader))
        own = feedback.entry_graders == grader
        scores[own] = clone(fitted).fit(others).scores_[feedback.items[own]]
    return scores


def within_lists(feedback, scores):
    """Differences of scores inside lists: the means of tasks say nothing."""
    mean = np.bincount(feedback.entry_lists, scores) / feedback.list_lengths
    return scores - mean[feedback.entry_lists]


def error(feedback, scores, exact):
    """Root mean square of what is wrong, over what leaving out moves."""
    wrong, exact = within_lists(feedback, scores), within_lists(feedback, exact)
    return np.std(wrong - exact) / np.std(exact)


@pytest.mark.usefixtures("by_steps")
@pytest.mark.parametrize(
    ("code", "held"), [(code, False) for code in CODES] + [(code, True) for code in HELD]
)
def test_one_step_is_nearly_the_fit_without_the_grader(code, held, monkeypatch):
    """Items move together, and in large classes one by one."""
    fitted = method(code, **({"identified": True} if held else {})).fit(a_class(code))
    feedback, exact = fitted.feedback_, refitted(fitted)
    stayed = error(feedback, fitted.scores_[feedback.items], exact)

    together = error(feedback, scores_without(fitted), exact)
    monkeypatch.setattr(thresholds, "LEAVE_OUT_ITEMS", 0)
    one_by_one = error(feedback, scores_without(fitted), exact)

    assert together < min(0.05, 0.25 * stayed)
    assert one_by_one < min(0.08, 0.4 * stayed)


def test_averages_without_a_grader_are_exact():
    feedback = a_class("scavg", per_grader=2)  # some items lose their only review
    fitted = fit(feedback, "scavg")

    np.testing.assert_allclose(scores_without(fitted), refitted(fitted))


@pytest.mark.parametrize("code", ["pl+g", "mal+g", "ncs+g"])
def test_of_few_graders_each_is_left_out_by_a_fit(code):
    fitted = fit(a_class(code, items=60, graders=6, per_grader=20), code)

    assert error(fitted.feedback_, scores_without(fitted), refitted(fitted)) < 1e-4


@pytest.mark.usefixtures("by_steps")
def test_rankings_are_stood_in_for_by_scores():
    feedback = a_class("mal")
    expected = scores_without(fit(feedback, "pl"))

    for code in ("mal", "mal+g", "malbc"):
        np.testing.assert_array_equal(scores_without(fit(feedback, code)), expected, err_msg=code)


def test_several_tasks_and_lists_of_one_grader_go_together():
    columns = {
        "grader": ["a"] * 6 + ["b"] * 4 + ["c"] * 4,
        "task": ["1", "1", "1", "1", "2", "2"] + ["1", "1", "2", "2"] * 2,
        "list": ["1", "1", "2", "2", "1", "1"] + ["1"] * 8,
        "item": ["x", "y", "y", "z", "u", "v", "x", "z", "u", "v", "y", "x", "v", "u"],
        "rank": [1, 2] * 7,
    }
    fitted = fit(Feedback.from_columns(**columns), "pl+g")

    assert error(fitted.feedback_, scores_without(fitted), refitted(fitted)) < 0.15


@pytest.mark.parametrize("few", [0, 100])
def test_ties_say_nothing_about_a_grader(few, monkeypatch):
    monkeypatch.setattr(leave_out, "FEW_GRADERS", few)
    feedback = simulate(items=15, graders=30, per_grader=5, step=2.0, seed=1).feedback()

    modelled = scores_without(fit(feedback, "pl+g", ties="model"))

    np.testing.assert_allclose(modelled, scores_without(fit(feedback, "pl+g")), atol=1e-5)


def test_an_item_only_one_grader_saw_goes_back_to_the_prior():
    feedback = Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["u", "v"]), ("cyd", ["u", "v"])])

    left = scores_without(fit(feedback, "pl+g"))

    np.testing.assert_allclose(left[:2], 0.0, atol=1e-6)

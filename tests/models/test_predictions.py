"""What a researcher asks a fit: likelihoods, chances, orders; and scikit-learn's tools around it."""

import math
import subprocess
import sys

import numpy as np
import pytest
from model_cases import CODES, SMOOTH, class_frame, feedback_of, make, orders_alone, some_class
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, cross_val_score
from sklearn.pipeline import Pipeline

import naive
from peerage import BradleyTerry, DataError, Feedback, MethodError, NotFittedError, PlackettLuce, fit

STRICT = orders_alone(some_class(items=6, graders=12, length=4, ties=False))


def naive_log_likelihood(code, fitted, feedback):
    likelihood = naive.LIKELIHOODS[code.removesuffix("+G")]
    return sum(
        order.weight * likelihood(order, fitted.scores_, fitted.reliabilities_[order.grader])
        for order in naive.orders_of(feedback)
    )


@pytest.mark.parametrize("code", SMOOTH)
def test_the_log_likelihood_is_the_naive_one(code):
    feedback = feedback_of(class_frame(weights=True))
    fitted = make(code).fit(feedback)

    assert fitted.log_likelihood_ == fitted.log_likelihood(feedback)
    for lists in (feedback, feedback[3:]):
        expected = naive_log_likelihood(code, fitted, lists)
        assert fitted.log_likelihood(lists) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("code", ["BT", "PL+G"])
def test_score_is_the_mean_by_comparison(code):
    feedback = orders_alone(feedback_of(class_frame(weights=True)))
    fitted = make(code).fit(feedback)
    comparisons = float((feedback.list_weights * feedback.list_strict_pairs).sum())

    assert fitted.score(feedback) == pytest.approx(fitted.log_likelihood_ / comparisons)
    modelled = make(code, ties="model").fit(feedback)
    lengths = feedback.list_lengths
    pairs = float((feedback.list_weights * lengths * (lengths - 1) / 2).sum())
    assert modelled.score(feedback) == pytest.approx(modelled.log_likelihood_ / pairs)


def test_labels_are_matched_and_unknown_graders_have_reliability_one():
    fitted = make("BT+G").fit(STRICT)
    first, second = (str(label) for label in STRICT.item_labels[:2])
    gap = fitted.scores_[0] - fitted.scores_[1]

    for grader, eta in ((STRICT.grader_labels[3], fitted.reliabilities_[3]), ("somebody else", 1.0)):
        other = Feedback.from_orders([(grader, [first, second])], task=STRICT.task_labels[0])
        assert fitted.log_likelihood(other) == pytest.approx(-np.logaddexp(0, -eta * gap))


def test_what_cannot_be_scored_is_refused():
    fitted = fit([("x", "y")], "bt")

    with pytest.raises(DataError, match="the item 'v' and 1 more was not in the feedback of the fit"):
        fitted.score([("x", "w"), ("v", "x")])
    with pytest.raises(DataError, match="there is no comparison"):
        fitted.score([["x"]])
    for ask in ("log_likelihood_", "aic_", "n_parameters_"):
        with pytest.raises(NotFittedError):
            getattr(BradleyTerry(), ask)
    with pytest.raises(NotFittedError):
        BradleyTerry().predict_order()


@pytest.mark.parametrize("code", [code for code in CODES if code not in SMOOTH])
def test_methods_without_likelihood_say_so(code):
    fitted = make(code).fit(some_class())

    for ask in (fitted.score, fitted.log_likelihood):
        with pytest.raises(MethodError, match="has no likelihood of lists to score them by: use PL"):
            ask(some_class())
    with pytest.raises(MethodError, match="has no chance of winning"):
        fitted.predict_proba([tuple(some_class().item_labels[:2])])


def test_parameters_are_counted():
    assert make("BT").fit(STRICT).n_parameters_ == STRICT.n_items - 1
    assert make("BT+G").fit(STRICT).n_parameters_ == STRICT.n_items - 1 + STRICT.n_graders - 1
    two = some_class(tasks=2)
    assert make("PL").fit(two).n_parameters_ == two.n_items - 2
    plain = make("BT").fit(STRICT)
    assert plain.aic_ == pytest.approx(2 * plain.n_parameters_ - 2 * plain.log_likelihood_)


def test_chances_of_pairs_by_label():
    fitted = fit([(10, 2), (2, 7), (10, 7), (7, 2)], "bt")
    gap = fitted.scores_[2] - fitted.scores_[0]

    chances = fitted.predict_proba([(10, 2), (2, 10)])

    win = 1 / (1 + math.exp(-gap))
    np.testing.assert_allclose(chances, [[win, 1 - win], [1 - win, win]])
    assert fitted.predict_proba([]).shape == (0, 2)
    with pytest.raises(DataError, match="there is no item '3'"):
        fitted.predict_proba([(10, 3)])
    with pytest.raises(DataError, match="takes pairs"):
        fitted.predict_proba([(10, 2, 7)])


def test_modelled_ties_have_a_column():
    fitted = BradleyTerry(ties="model").fit([("x", "y"), [{"x", "y"}], ("x", "z")])

    chances = fitted.predict_proba([("x", "y")])

    gap = fitted.scores_[0] - fitted.scores_[1]
    odds = np.exp([gap, 0, -gap])
    np.testing.assert_allclose(chances, [odds / odds.sum()])
    won = pytest.approx((odds[0] + odds[1] / 2) / odds.sum())
    assert fitted.win_probability(gap) == fitted.win_probability(gap / 2, 2.0) == won
    assert fitted.win_probability(np.array([-800.0, 800.0])).tolist() == [0.0, 1.0]


def test_orders_of_some_and_of_all():
    fitted = make("PL").fit(some_class(tasks=2))
    task = fitted.feedback_.task_labels[1]
    table = fitted.grades()
    expected = table.filter(table["task"] == task)["item"].to_list()

    assert fitted.predict_order(task=task) == expected == fitted.predict_order(task=1)
    assert fitted.predict_order(expected[3:1:-1], task=task) == expected[2:4]


# -- scikit-learn -------------------------------------------------------------------------------------------


def test_folds_are_scored_by_lists():
    folds = KFold(3, shuffle=True, random_state=1)

    scores = cross_val_score(PlackettLuce(), STRICT, cv=folds)

    expected = [
        PlackettLuce().fit(STRICT[train]).score(STRICT[test])
        for train, test in folds.split(np.zeros(len(STRICT)))
    ]
    np.testing.assert_allclose(scores, expected)
    by_grader = cross_val_score(PlackettLuce(), STRICT, groups=STRICT.list_graders, cv=GroupKFold(3))
    assert len(by_grader) == 3


class ShortLists(TransformerMixin, BaseEstimator):
    """Keeps the first reviews of every list."""

    def __init__(self, per_list=3):
        self.per_list = per_list

    def fit(self, feedback, y=None):
        self.fitted_ = True
        return self

    def transform(self, feedback):
        place = np.arange(feedback.n_entries) - np.repeat(feedback.list_starts[:-1], feedback.list_lengths)
        return feedback.keep_entries(place < self.per_list)


def test_a_pipeline_ends_in_a_method():
    steps = Pipeline([("short", ShortLists()), ("fit", PlackettLuce())])

    fitted = steps.fit(STRICT)

    short = ShortLists().transform(STRICT)
    assert fitted.score(STRICT) == pytest.approx(PlackettLuce().fit(short).score(short))
    search = GridSearchCV(
        steps, {"short__per_list": [2, 4], "fit__score_variance": [1.0, 9.0]}, cv=KFold(2)
    ).fit(STRICT)
    assert set(search.best_params_) == {"short__per_list", "fit__score_variance"}


def test_scikit_learn_is_not_needed():
    script = (
        "import sys; sys.modules['sklearn'] = None; import peerage;"
        " print(peerage.fit([('x', 'y')]).score([('x', 'y')]) < 0)"
    )

    result = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)

    assert result.stdout.strip() == "True"

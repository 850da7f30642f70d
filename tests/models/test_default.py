"""The method that Peerage takes by itself."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from model_cases import orders_alone, some_class

from peerage import Feedback, NormalScores, fit
from peerage.grading.fitting import fit_method
from peerage.models.base import rough_clone
from peerage.models.default import choose, contradictions
from peerage.models.held_out import FOLDS, held_out_loss, orders_help


def both(ranks, scores):
    """One list per row."""
    lists, items = np.array(ranks).shape
    grader = np.repeat([f"g{g}" for g in range(lists)], items)
    item = np.tile([f"i{i}" for i in range(items)], lists)
    return Feedback.from_columns(grader, item, rank=np.ravel(ranks), score=np.ravel(scores))


ONE_CONTRADICTION = both([[1, 2, 3], [2, 1, 3]], [[9.0, 8.0, 7.0], [9.0, 8.0, 7.0]])


@pytest.mark.parametrize(
    ("ranks", "scores"),
    [
        ([2, 1, 2], [5.0, 8.0, 5.0]),
        ([1, 2, 2], [9.0, 9.0, 7.0]),
        ([1, 2, 3], [9.0, np.nan, 7.0]),
        ([1, 2, 3], [np.nan] * 3),
    ],
)
def test_ranks_that_never_contradict_their_scores_carry_no_news(ranks, scores):
    feedback = both([[1, 2, 3], ranks], [[9.0, 9.0, 7.0], scores])

    choice = choose(feedback)

    assert contradictions(feedback) == 0
    assert choice.code == "NCS+G"
    assert "never contradict" in choice.reason
    assert choice.estimator().fit(feedback).converged_


def test_one_contradiction_makes_the_ranks_a_second_judgement():
    assert contradictions(ONE_CONTRADICTION) == 1
    assert choose(ONE_CONTRADICTION).code == "COMBINED+G"


def test_the_default_follows_the_kind_of_feedback():
    both = some_class()
    cases = {
        "PL+G": orders_alone(both),
        "BT+G": orders_alone(some_class(ties=False, length=2)),
        "NCS+G": replace(both, ordered_by="score"),
        "COMBINED+G": both,
    }

    for code, feedback in cases.items():
        choice = choose(feedback)
        assert choice.code == code
        assert repr(fit(feedback)) == repr(choice.estimator())
    assert [choose(cases[code]).estimator().identified for code in ("PL+G", "BT+G")] == [True, True]
    assert choose(cases["PL+G"]).estimator(score_variance=7.0).score_variance == 7.0


def second_judgement(seed, *, copied):
    """A class of 40 with scores, and ranks that copy them with slips, or are given anew."""
    rng = np.random.default_rng(seed)
    quality, items = rng.normal(size=40), np.argsort(rng.random((40, 40)), axis=1)[:, :5]
    scores = 1.2 * quality[items] + rng.normal(0.0, 1.2, items.shape)
    worth = scores + rng.normal(0.0, 0.3, items.shape) if copied else quality[items]
    return Feedback.from_columns(
        np.repeat([f"g{g}" for g in range(40)], 5),
        [f"i{i}" for i in items.ravel()],
        rank=np.argsort(np.argsort(-worth, axis=1), axis=1).ravel() + 1,
        score=scores.ravel(),
    )


@pytest.mark.parametrize(
    ("copied", "code", "why"),
    [(True, "NCS+G", "orders do not help to predict"), (False, "COMBINED+G", "orders help to predict")],
)
def test_orders_count_where_they_help_to_predict_scores_of_others(copied, code, why):
    feedback = second_judgement(1, copied=copied)

    used, fitted = fit_method(feedback, None, {})

    assert (used.code, fitted.converged_) == (code, True)
    assert why in used.reason
    assert contradictions(feedback) > 0
    assert fit(feedback).scores_ == pytest.approx(fitted.scores_, abs=1e-9)


def test_parameters_that_were_asked_for_keep_the_method():
    feedback = second_judgement(1, copied=True)

    assert fit_method(feedback, None, {"tol": 1e-8})[0].code == "COMBINED+G"
    assert fit(feedback, tol=1e-8).name == "Combined"


def test_too_few_graders_to_leave_any_out_keep_both():
    assert orders_help(fit(ONE_CONTRADICTION, "combined+g"))


def test_the_loss_of_left_out_scores_is_the_one_documented():
    feedback = second_judgement(2, copied=False)
    fitted = fit(feedback, "ncs+g", variances="learn")
    folds = np.arange(40) % FOLDS
    loss = 0.0
    for fold in range(FOLDS):
        twin = NormalScores(reliability=True, variances="learn")
        twin.take_over(fitted)
        twin.fit(feedback.take_lists(np.flatnonzero(folds[feedback.list_graders] != fold)))
        for grader in np.flatnonzero(folds == fold):
            own = feedback.entry_graders == grader
            r = feedback.scores[own] - twin.scores_[feedback.items[own]]
            loss += (10 + 2) * np.log(10 + ((r - r.mean()) ** 2).sum() / (2 * fitted.noise_variance_))

    assert held_out_loss(fitted, folds) == pytest.approx(loss, rel=1e-6)


def test_a_fit_of_a_part_holds_variances_and_sharpness_of_the_whole():
    feedback = second_judgement(3, copied=False)
    whole = fit(feedback, "combined+g")

    part = rough_clone(whole, tol=1e-6, max_iter=50).fit(feedback.take_lists(np.arange(20)))

    assert part.sharpness_ == pytest.approx(whole.sharpness_)
    assert part.noise_variance_ == whole.noise_variance_


def test_the_choice_is_nowhere_behind_the_better_estimate_beyond_its_error():
    """The study's file, and the table of the decision made from it."""
    root = Path(__file__).parents[2]
    rows = pl.read_csv(root / "experiments" / "results" / "orders_and_scores.csv")
    page = (root / "docs" / "explanation" / "decisions" / "default-method.md").read_text(encoding="utf-8")
    table = page.split("<!-- orders-and-scores -->")[1].split("<!-- /orders-and-scores -->")[0]
    names = ("scores_alone", "combined", "chosen", "behind_better", "standard_error")
    line = "{:.2f} | {:.2f} | {:.2f} | {:.2f} ± {:.2f} |"

    figures = [line.format(*row) for row in rows.select(names).rows()]

    assert [row.partition(" | ")[2] for row in table.strip().splitlines()[2:]] == figures
    assert (rows["behind_better"] <= 2 * rows["standard_error"]).all()
    real = rows.filter(pl.col("kind").str.starts_with("dots30"))
    assert (real["chosen"] < real["scores_alone"]).all()

"""One contract for every method: manners, results, invariances. A new method is tested once registered."""

import inspect
import warnings
from functools import cache

import numpy as np
import polars as pl
import pytest
from model_cases import (
    CODES,
    NEEDS_SCORES,
    ORDINAL,
    PLAIN,
    RELIABLE,
    by_label,
    class_frame,
    feedback_of,
    fitted_to_some_class,
    make,
    orders_alone,
    orders_and_scores,
    some_class,
)

import naive
from peerage import ConvergenceWarning, DataError, MethodError, NotFittedError, clone
from peerage.models.base import Estimator

every_method = pytest.mark.parametrize("code", CODES)
UNSEEN = "nobody saw me"


@cache
def fitted_to_two_tasks(code):
    return make(code).fit(some_class(tasks=2).with_items([UNSEEN], task="task 1"))


def same_bytes(one, other):
    return one.scores_.tobytes() == other.scores_.tobytes() and (
        one.reliabilities_.tobytes() == other.reliabilities_.tobytes()
    )


# -- manners --------------------------------------------------------------------------------------


@every_method
def test_parameters_are_keyword_only_stored_untouched_and_set_by_name(code):
    kind = type(make(code))
    signature = inspect.signature(kind.__init__).parameters
    given = {name: object() for name in signature if name != "self"}

    estimator = kind(**given)

    assert issubclass(kind, Estimator)
    assert [name for name in given if signature[name].kind.name != "KEYWORD_ONLY"] == []
    assert vars(estimator) == estimator.get_params() == given
    for name in given:
        assert estimator.set_params(**{name: "new"}) is estimator
        assert estimator.get_params()[name] == "new"
    with pytest.raises(MethodError, match=f"{kind.__name__} has no parameter 'nonsense'"):
        estimator.set_params(nonsense=1)


@every_method
def test_fit_returns_itself_with_everything_learned(code):
    feedback, estimator = some_class(), make(code)
    before = estimator.get_params()

    assert estimator.fit(feedback) is estimator

    assert estimator.get_params() == before
    assert estimator.feedback_ is feedback
    assert estimator.scores_.shape == (feedback.n_items,)
    assert estimator.reliabilities_.shape == (feedback.n_graders,)
    assert np.isfinite(estimator.scores_).all()
    assert (estimator.reliabilities_ > 0).all()
    assert np.isfinite(estimator.objective_)
    assert estimator.converged_ is True
    assert estimator.n_iter_ >= 0
    assert estimator.elapsed_ > 0


@every_method
def test_without_a_fit_there_are_no_results(code):
    copy = clone(fitted_to_some_class(code))

    assert type(copy) is type(make(code))
    assert copy.get_params() == make(code).get_params()
    for unfitted in (make(code), copy):
        assert not hasattr(unfitted, "scores_")
        for table in (unfitted.grades, unfitted.graders):
            with pytest.raises(NotFittedError, match=r"has no results yet: call fit\(feedback\) first"):
                table()


def test_reliabilities_differ_with_g_and_are_one_without():
    reliabilities = {code: fitted_to_some_class(code).reliabilities_ for code in CODES}

    assert [code for code in PLAIN if (reliabilities[code] != 1).any()] == []
    assert [code for code in RELIABLE if np.ptp(reliabilities[code]) <= 0.01] == []


@every_method
def test_a_second_fit_forgets_the_first_and_gives_the_same_bytes(code):
    estimator, fresh = make(code).fit(some_class(seed=2, items=6)), fitted_to_some_class(code)

    again = estimator.fit(some_class())

    assert same_bytes(again, fresh)
    assert again.objective_ == fresh.objective_
    assert vars(again).keys() == vars(fresh).keys()


@pytest.mark.parametrize("code", NEEDS_SCORES)
def test_a_failed_fit_leaves_nothing_of_the_one_before(code):
    estimator = make(code).fit(some_class())

    with pytest.raises(DataError, match="column 'score'"):
        estimator.fit(orders_alone(some_class()))

    with pytest.raises(NotFittedError):
        estimator.grades()


@pytest.mark.parametrize("code", [code for code in CODES if make(code).get_params()])
def test_senseless_numbers_are_refused_by_name(code):
    numbers = {"score_variance", "reliability_shape", "reliability_rate", "tol", "max_iter"}

    for name in numbers & set(make(code).get_params()):
        for value in (0.0, -1.0, np.nan, np.inf):
            with pytest.raises(MethodError, match=f"{name} must be a finite number greater than 0, not"):
                make(code, **{name: value}).fit(some_class())


@pytest.mark.parametrize("code", [code for code in CODES if "max_iter" in make(code).get_params()])
def test_a_search_cut_short_does_not_claim_to_have_converged(code):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        fitted = make(code, max_iter=1).fit(some_class())

    assert [str(w.message).startswith(repr(fitted)) for w in caught] == ([] if fitted.converged_ else [True])
    assert not fitted.converged_ or code not in ("PL", "PL+G", "BT", "THUR", "MALS")


# -- tables -----------------------------------------------------------------------------------------


@every_method
def test_grades_follow_their_definitions(code):
    fitted = fitted_to_two_tasks(code)

    grades = fitted.grades()

    assert grades.columns == ["task", "item", "rank", "score", "percentile", "reviews"]
    assert grades.height == fitted.feedback_.n_items
    for (_,), part in grades.group_by("task"):
        score, rank = part["score"].to_numpy(), part["rank"].to_numpy()
        above = (score[:, None] - score > 1e-7).sum(axis=0)
        at_or_below = (score[:, None] - score < 1e-7).sum(axis=0)
        assert rank.tolist() == (above + 1).tolist()
        np.testing.assert_allclose(part["percentile"], 100 * at_or_below / part.height)
        assert part["rank"].is_sorted()
    unseen = grades.filter(pl.col("reviews") == 0)
    assert unseen.select("task", "item").rows() == [("task 1", UNSEEN)]
    assert grades["reviews"].sum() == fitted.feedback_.n_entries


@pytest.mark.parametrize("code", ORDINAL)
def test_scores_sum_to_zero_in_every_task_and_items_nobody_saw_have_it(code):
    fitted = fitted_to_two_tasks(code)

    np.testing.assert_allclose(np.bincount(fitted.feedback_.item_tasks, fitted.scores_), 0, atol=1e-7)
    assert fitted.scores_[fitted.feedback_.item_number(UNSEEN, "task 1")] == pytest.approx(0, abs=1e-12)


@every_method
def test_graders_follow_their_definitions(code):
    fitted = fitted_to_two_tasks(code)
    feedback = fitted.feedback_
    pairs, right = np.zeros(feedback.n_graders), np.zeros(feedback.n_graders)
    for order in naive.orders_of(feedback):
        for i, j in naive.strict_pairs(order.buckets):
            gap = fitted.scores_[i] - fitted.scores_[j]
            pairs[order.grader] += 1
            right[order.grader] += 0.5 if abs(gap) < 1e-7 else gap > 0

    table = fitted.graders()

    assert table.columns == ["grader", "reliability", "reviews", "lists", "strict_pairs", "agreement"]
    assert table["grader"].to_list() == feedback.grader_labels.to_list()
    assert table["reliability"].to_list() == fitted.reliabilities_.tolist()
    assert table["reviews"].sum() == feedback.n_entries
    assert table["lists"].to_list() == [2] * feedback.n_graders
    assert table["strict_pairs"].to_list() == pairs.tolist()
    np.testing.assert_allclose(table["agreement"], right / pairs)


@every_method
def test_a_grader_who_orders_nothing_has_no_agreement_and_keeps_the_priors_mode(code):
    frame = class_frame()
    tied = frame[:2].with_columns(grader=pl.lit("tied"), rank=pl.lit(1, pl.Int64))
    single = frame[:1].with_columns(grader=pl.lit("single"))

    table = make(code).fit(feedback_of(pl.concat([frame, tied, single]))).graders()

    silent = table.filter(pl.col("grader").is_in(["tied", "single"]))
    assert silent.select("strict_pairs", "agreement").rows() == [(0, None)] * 2
    if code in RELIABLE and code in ORDINAL:
        assert silent["reliability"].to_list() == pytest.approx([0.9] * 2)


# -- invariances --------------------------------------------------------------------------------------


@every_method
def test_other_names_change_nothing(code):
    renamed = class_frame(tasks=2).with_columns(
        grader=pl.lit("x") + pl.col("grader").str.reverse(), item=pl.lit("y") + pl.col("item").str.reverse()
    )

    other = make(code).fit(feedback_of(renamed).with_items([f"y{UNSEEN[::-1]}"], task="task 1"))

    scores, reliabilities = by_label(fitted_to_two_tasks(code))
    scores = {(task, f"y{item[::-1]}"): score for (task, item), score in scores.items()}
    reliabilities = {f"x{grader[::-1]}": value for grader, value in reliabilities.items()}
    assert scores == pytest.approx(by_label(other)[0], abs=1e-6)
    assert reliabilities == pytest.approx(by_label(other)[1], abs=1e-6)


@every_method
def test_weights_are_replication(code):
    frame = class_frame(weights=True)
    copies = [
        frame.filter(pl.col("weight") > copy).with_columns(list=pl.lit(str(copy)), weight=pl.lit(1))
        for copy in range(3)
    ]

    weighted, repeated = make(code).fit(feedback_of(frame)), make(code).fit(feedback_of(pl.concat(copies)))

    for one, other in zip(by_label(weighted), by_label(repeated), strict=True):
        assert one == pytest.approx(other, abs=1e-6, rel=1e-7)
    assert weighted.objective_ == pytest.approx(repeated.objective_)


@pytest.mark.parametrize("code", [code for code in PLAIN if code != "COMBINED"])  # it learns over all tasks
def test_tasks_are_separate_without_reliability(code):
    feedback = some_class(tasks=3)

    together = make(code).fit(feedback).scores_

    apart = [make(code).fit(feedback.for_task(task)).scores_ for task in range(3)]
    np.testing.assert_allclose(together, np.concatenate(apart), atol=1e-6)


@pytest.mark.parametrize("code", RELIABLE)
def test_a_reliability_is_one_over_all_tasks(code):
    """Who fails in the first task is trusted less in the second, where one word stands against another."""
    first = [(f"fair {n}", list("abcdef")) for n in range(4)] + [("odd", list("fbadce"))]
    second = [("odd", list("xy")), ("fair 0", list("yx"))]

    fitted = make(code).fit(orders_and_scores(first).merge(orders_and_scores(second, task="2")))

    reliability = dict(fitted.graders().select("grader", "reliability").rows())
    assert min(reliability, key=reliability.get) == "odd"
    grades = fitted.grades().filter(pl.col("task") == "2")
    assert grades.select("item", "rank").rows() == [("y", 1), ("x", 2)]


@pytest.mark.parametrize("code", ORDINAL)
def test_scores_beside_an_order_are_not_looked_at(code):
    without = make(code).fit(orders_alone(some_class()))

    assert same_bytes(fitted_to_some_class(code), without)

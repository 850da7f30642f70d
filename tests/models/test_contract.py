"""One contract for every method: manners, results, invariances. A new method is tested once registered."""

from __future__ import annotations

import inspect
import warnings

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
    make,
    orders_alone,
    some_class,
)

import naive
from peerage import DataError, Feedback, MethodError, NotFittedError, clone
from peerage.models.base import Estimator

every_method = pytest.mark.parametrize("code", CODES)


def assert_same_fit(one, other, *, atol=1e-6):
    """Equal scores and reliabilities, by label."""
    for left, right in zip(by_label(one), by_label(other), strict=True):
        assert left.keys() == right.keys()
        np.testing.assert_allclose(list(left.values()), [right[key] for key in left], atol=atol)


# -- manners --------------------------------------------------------------------------------------


@every_method
def test_parameters_are_keyword_only_and_stored_untouched(code):
    kind = type(make(code))
    names = [name for name in inspect.signature(kind.__init__).parameters if name != "self"]
    given = {name: object() for name in names}

    estimator = kind(**given)

    assert issubclass(kind, Estimator)
    assert all(
        inspect.signature(kind.__init__).parameters[name].kind.name == "KEYWORD_ONLY" for name in names
    )
    assert all(estimator.get_params()[name] is given[name] for name in names)
    assert sorted(vars(estimator)) == sorted(names)


@every_method
def test_fit_leaves_the_parameters_alone(code):
    estimator = make(code)
    before = estimator.get_params()

    estimator.fit(some_class())

    assert estimator.get_params() == before


@every_method
def test_set_params_changes_and_refuses_by_name(code):
    estimator = make(code)
    for name in estimator.get_params():
        assert estimator.set_params(**{name: "new"}) is estimator
        assert estimator.get_params()[name] == "new"

    with pytest.raises(MethodError, match=f"{type(estimator).__name__} has no parameter 'nonsense'"):
        estimator.set_params(nonsense=1)


@every_method
def test_clone_is_fresh_with_the_same_parameters(code):
    estimator = make(code).fit(some_class())

    copy = clone(estimator)

    assert type(copy) is type(estimator)
    assert copy.get_params() == estimator.get_params()
    assert not hasattr(copy, "scores_")


@every_method
def test_fit_returns_itself_with_everything_learned(code):
    feedback, estimator = some_class(), make(code)

    assert estimator.fit(feedback) is estimator

    assert estimator.feedback_ is feedback
    assert estimator.scores_.shape == (feedback.n_items,)
    assert estimator.reliabilities_.shape == (feedback.n_graders,)
    assert np.isfinite(estimator.scores_).all()
    assert (estimator.reliabilities_ > 0).all()
    assert np.isfinite(estimator.objective_)
    assert estimator.converged_ is True
    assert estimator.n_iter_ >= 0
    assert estimator.elapsed_ > 0


@pytest.mark.parametrize("code", PLAIN)
def test_without_g_every_reliability_is_one(code):
    assert (make(code).fit(some_class()).reliabilities_ == 1).all()


@pytest.mark.parametrize("code", RELIABLE)
def test_with_g_reliabilities_differ(code):
    assert np.ptp(make(code).fit(some_class()).reliabilities_) > 0.01


@every_method
def test_a_second_fit_forgets_the_first(code):
    estimator = make(code).fit(some_class(seed=2, items=6))

    again, fresh = estimator.fit(some_class()), make(code).fit(some_class())

    assert again.scores_.tobytes() == fresh.scores_.tobytes()
    assert again.reliabilities_.tobytes() == fresh.reliabilities_.tobytes()
    assert vars(again).keys() == vars(fresh).keys()


@every_method
@pytest.mark.parametrize("table", ["grades", "graders"])
def test_results_before_fit_are_refused(code, table):
    with pytest.raises(NotFittedError, match=r"has no results yet: call fit\(feedback\) first"):
        getattr(make(code), table)()


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
def test_what_does_not_converge_says_so(code):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted = make(code, max_iter=1).fit(some_class())

    assert [str(w.message).startswith(repr(fitted)) for w in caught] == ([] if fitted.converged_ else [True])


# -- tables -----------------------------------------------------------------------------------------


@every_method
def test_grades_follow_their_definitions(code):
    feedback = some_class(tasks=2).with_items(["nobody saw me"], task="task 1")

    grades = make(code).fit(feedback).grades()

    assert grades.columns == ["task", "item", "rank", "score", "percentile", "reviews"]
    assert grades.height == feedback.n_items
    for (_,), part in grades.group_by("task"):
        score, rank = part["score"].to_numpy(), part["rank"].to_numpy()
        above = (score[:, None] - score > 1e-7).sum(axis=0)
        at_or_below = (score[:, None] - score < 1e-7).sum(axis=0)
        assert rank.tolist() == (above + 1).tolist()
        np.testing.assert_allclose(part["percentile"], 100 * at_or_below / part.height)
        assert part["rank"].is_sorted()


@every_method
def test_items_nobody_saw_are_kept_with_no_reviews(code):
    feedback = some_class(tasks=2).with_items(["nobody saw me"], task="task 1")

    grades = make(code).fit(feedback).grades()

    unseen = grades.filter(pl.col("reviews") == 0)
    assert unseen.select("task", "item").rows() == [("task 1", "nobody saw me")]
    assert grades["reviews"].sum() == feedback.n_entries


@pytest.mark.parametrize("code", ORDINAL)
def test_items_nobody_saw_stay_at_zero(code):
    feedback = some_class().with_items(["nobody saw me"])

    fitted = make(code).fit(feedback)

    assert fitted.scores_[feedback.item_number("nobody saw me")] == pytest.approx(0, abs=1e-12)


@every_method
def test_graders_follow_their_definitions(code):
    fitted = make(code).fit(some_class(tasks=2))
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
def test_a_grader_who_orders_nothing_has_no_agreement(code):
    rows = class_frame().vstack(
        class_frame()[:2].with_columns(grader=pl.lit("silent"), rank=pl.lit(1, pl.Int64))
    )

    table = make(code).fit(feedback_of(rows)).graders()

    silent = table.filter(pl.col("grader") == "silent").row(0, named=True)
    assert (silent["strict_pairs"], silent["agreement"]) == (0, None)


@pytest.mark.parametrize("code", [code for code in RELIABLE if code in ORDINAL])
def test_a_grader_who_says_nothing_keeps_the_priors_mode(code):
    rows = class_frame().vstack(class_frame()[:1].with_columns(grader=pl.lit("silent")))

    fitted = make(code).fit(orders_alone(feedback_of(rows)))

    assert fitted.reliabilities_[fitted.feedback_.grader_number("silent")] == pytest.approx(0.9)


# -- invariances --------------------------------------------------------------------------------------


@every_method
def test_other_names_change_nothing(code):
    frame = class_frame(tasks=2)
    renamed = frame.with_columns(
        grader=pl.lit("x") + pl.col("grader").str.reverse(), item=pl.lit("y") + pl.col("item").str.reverse()
    )

    one, other = (by_label(make(code).fit(feedback_of(rows))) for rows in (frame, renamed))

    scores = {(task, f"y{item[::-1]}"): score for (task, item), score in one[0].items()}
    reliabilities = {f"x{grader[::-1]}": value for grader, value in one[1].items()}
    assert scores == pytest.approx(other[0], abs=1e-6)
    assert reliabilities == pytest.approx(other[1], abs=1e-6)


@every_method
def test_rows_in_any_order_give_the_same_bytes(code):
    frame = class_frame(tasks=2)

    one, other = (
        make(code).fit(feedback_of(rows)) for rows in (frame, frame.sample(fraction=1, shuffle=True, seed=3))
    )

    assert one.grades().write_csv() == other.grades().write_csv()
    assert one.graders().write_csv() == other.graders().write_csv()


@every_method
def test_two_fits_give_the_same_bytes(code):
    feedback = some_class(tasks=2)

    one, other = make(code).fit(feedback), make(code).fit(feedback)

    assert one.scores_.tobytes() == other.scores_.tobytes()
    assert one.reliabilities_.tobytes() == other.reliabilities_.tobytes()
    assert one.objective_ == other.objective_


@every_method
def test_weights_are_replication(code):
    frame = class_frame(weights=True)
    copies = [
        frame.filter(pl.col("weight") > copy).with_columns(list=pl.lit(str(copy)), weight=pl.lit(1))
        for copy in range(3)
    ]

    weighted, repeated = make(code).fit(feedback_of(frame)), make(code).fit(feedback_of(pl.concat(copies)))

    assert_same_fit(weighted, repeated)
    assert weighted.objective_ == pytest.approx(repeated.objective_)


@pytest.mark.parametrize("code", PLAIN)
def test_whose_list_it_is_does_not_matter_without_reliability(code):
    frame = class_frame()
    grouped = frame.with_columns(list="grader", grader=pl.lit("everyone"))

    one, other = make(code).fit(feedback_of(frame)), make(code).fit(feedback_of(grouped))

    assert by_label(one)[0] == pytest.approx(by_label(other)[0], abs=1e-6)
    assert other.graders()["lists"].to_list() == [10]


@pytest.mark.parametrize("code", RELIABLE)
def test_lists_of_one_grader_share_a_reliability(code):
    frame = class_frame(graders=12).with_columns(
        list="grader", grader=pl.col("grader").str.slice(0, 8)
    )  # "grader 0", "grader 1"

    fitted = make(code).fit(feedback_of(frame))

    assert fitted.graders()["lists"].to_list() == [10, 2]


@pytest.mark.parametrize("code", ORDINAL)
def test_scores_sum_to_zero_in_every_task(code):
    feedback = some_class(tasks=3)

    fitted = make(code).fit(feedback)

    np.testing.assert_allclose(np.bincount(feedback.item_tasks, fitted.scores_), 0, atol=1e-7)


@pytest.mark.parametrize("code", [code for code in PLAIN if code != "COMBINED"])  # it learns over all tasks
def test_tasks_are_separate_without_reliability(code):
    feedback = some_class(tasks=3)

    together = make(code).fit(feedback).scores_

    apart = [make(code).fit(feedback.for_task(task)).scores_ for task in range(3)]
    np.testing.assert_allclose(together, np.concatenate(apart), atol=1e-6)


@pytest.mark.parametrize("code", RELIABLE)
def test_a_reliability_is_one_over_all_tasks(code):
    """Who fails in the first task is trusted less in the second, where one word stands against another."""
    fine, odd = list("abcdef"), list("fbadce")
    rows = [("1", f"fair {n}", item, rank) for n in range(4) for rank, item in enumerate(fine)]
    rows += [("1", "odd", item, rank) for rank, item in enumerate(odd)]
    rows += [("2", "odd", item, rank) for rank, item in enumerate("xy")]
    rows += [("2", "fair 0", item, rank) for rank, item in enumerate("yx")]
    task, grader, item, rank = zip(*rows, strict=True)
    score = [9.0 - place for place in rank]
    feedback = Feedback.from_columns(grader, item, task=task, rank=[r + 1 for r in rank], score=score)

    fitted = make(code).fit(feedback)

    reliability = dict(fitted.graders().select("grader", "reliability").rows())
    second = fitted.grades().filter(pl.col("task") == "2")
    assert min(reliability, key=reliability.get) == "odd"
    assert second["item"].to_list() == ["y", "x"]
    assert second["rank"].to_list() == [1, 2]


@pytest.mark.parametrize("code", ORDINAL)
def test_scores_beside_an_order_are_not_looked_at(code):
    feedback = some_class()

    with_scores, without = make(code).fit(feedback), make(code).fit(orders_alone(feedback))

    assert with_scores.scores_.tobytes() == without.scores_.tobytes()

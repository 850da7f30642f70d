"""The search for the optimum, piece by piece: steps, profile, components, shared points, linear algebra."""

from itertools import product

import numpy as np
import pytest
from model_cases import SMOOTH, count_calls, make, some_class
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from peerage import Feedback
from peerage.models import thresholds
from peerage.models.feedback_parts import FeedbackParts
from peerage.models.smooth.list_parts import ListParts
from peerage.models.solver import newton
from peerage.models.solver.components import Components, Forest
from peerage.models.solver.dense import dot, factorise, inverse, multiply, solve_transposed, substitute
from peerage.models.solver.part import shared_step
from peerage.models.solver.scales import HIGHEST, LOWEST, BestScales
from peerage.simulation.reviews import rank_all

PASSES = 11  # over the data, for all reliabilities at once, from wherever the search begins

# -- steps ------------------------------------------------------------------------------------------------


def test_steps_are_held_item_by_item_unless_that_would_climb():
    short = np.array([0.5, -1.9])
    far, downhill = np.array([900.0, 0.5, -1.0]), np.array([-1e-3, -0.5, 1.0])
    uphill_if_held, gradient = np.array([900.0, 2.0]), np.array([-1.0, 400.0])

    assert newton._limited(2.0, short, -short) is short
    assert newton._limited(2.0, far, downhill).tolist() == [2, 0.5, -1]  # one does not hold up the others
    held = newton._limited(2.0, uphill_if_held, gradient)
    assert held.tolist() == pytest.approx([2, 2 * 2 / 900])
    assert held @ gradient < 0


def work(code, feedback, monkeypatch):
    """How often a fit asks for the value and for Hessian products."""
    with monkeypatch.context() as patch:
        patch.setattr(thresholds, "DENSE_ITEMS", 0)
        counts = count_calls(patch, "evaluate", "hessian_product")
        assert make(code).fit(feedback).converged_
    return counts


def chance_class(size):
    """Strict lists by graders of unequal care: in a large class some items and graders are always odd."""
    rng = np.random.default_rng(0)
    quality, care = rng.normal(0, 1.5, size), rng.gamma(4, 0.25, size) + 0.1
    seen = np.array([rng.choice(size, 10, replace=False) for _ in range(size)])
    opinion = quality[seen] + rng.gumbel(size=seen.shape) / care[:, None]
    return rank_all(np.repeat(np.arange(size), 10), seen.ravel(), opinion.ravel(), size)


@pytest.mark.parametrize("code", ["BT", "PL+G", "THUR+G"])
def test_a_larger_class_takes_about_the_same_steps(code, monkeypatch):
    small, large = (work(code, chance_class(size), monkeypatch) for size in (200, 4_000))

    assert large["evaluate"] <= 1.4 * small["evaluate"]
    assert large["hessian_product"] <= 1.4 * small["hessian_product"]


# -- the objective as a function of the scores alone ------------------------------------------------------


def some_scores(n_items):
    return np.random.default_rng(3).normal(0, 1.5, n_items)


@pytest.mark.parametrize("code", SMOOTH)
def test_along_the_null_space_there_is_only_the_prior_and_the_rest_has_none(code):
    model, feedback = make(code), some_class(items=6, graders=8, tasks=2, weights=True)
    lists = ListParts(model, FeedbackParts.of(feedback), reliability=model.reliability)
    profile = lists.profile() if model.reliability else lists.fixed()
    profile.evaluate(some_scores(12))
    means = np.repeat([1.0, -3.0], 6)
    right = some_scores(12) + means

    solution, rest = profile.solve_null_space(right)

    np.testing.assert_allclose(profile.hessian_product(means), means / 9, atol=1e-12)
    np.testing.assert_allclose(profile.hessian_product(solution) + rest, right, atol=1e-12)
    np.testing.assert_allclose(rest.reshape(2, 6).sum(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(profile.deflated(right), rest)


def scales_of(model, feedback):
    return BestScales(model.objective(feedback), model.prior())


@pytest.mark.parametrize("code", ["BT+G", "PL+G", "THUR+G"])
def test_reliabilities_are_found_in_few_passes(code, monkeypatch):
    feedback = some_class(items=12, graders=60, length=8)
    for spread, guess in product((0.01, 1.0, 20.0), (0.1, 1.0, 30.0, HIGHEST)):
        profile = scales_of(make(code), feedback)
        with monkeypatch.context() as patch:
            counts = count_calls(patch, "evaluate")
            profile.evaluate(spread * some_scores(12), np.full(60, guess))

        assert counts["evaluate"] <= PASSES, (spread, guess)
        first = profile.objective.scale_derivatives()[0] + profile.prior.gradient(profile.scales)
        np.testing.assert_allclose(first / profile.scale_curvature / profile.scales, 0, atol=1e-9)


@pytest.mark.parametrize("rate", [1e-9, 1e9])
def test_reliabilities_stay_within_their_limits(rate):
    model = make("BT+G", reliability_rate=rate)
    profile = scales_of(model, some_class(items=6))

    profile.evaluate(some_scores(6) * (1 if rate > 1 else 1e-6), np.ones(profile.objective.n_graders))

    assert profile.scales.min() >= LOWEST
    assert profile.scales.max() <= HIGHEST
    assert np.isinf(profile.scale_curvature).all()


# -- connected components ---------------------------------------------------------------------------------


def components_of(feedback):
    return Components(Forest.by_lists((feedback.items, feedback.list_starts), feedback.n_items))


def test_items_are_linked_through_others_and_projected_to_the_mean_of_their_component():
    feedback = Feedback.from_orders([("ada", ["a", "d"]), ("bob", ["c", "b"]), ("cyd", ["d", "e"])])

    components = components_of(feedback)

    assert components.labels.tolist() == [0, 1, 1, 0, 0]
    assert components.sizes.tolist() == [3, 2]
    assert components.means(np.array([1.0, 5.0, 7.0, 2.0, 6.0])).tolist() == [3, 6, 6, 3, 3]
    alone = Components(Forest(np.arange(3, dtype=np.int32)))
    assert alone.means(np.array([1.0, 2.0, 6.0])).tolist() == [1, 2, 6]


@pytest.mark.parametrize("seed", range(5))
def test_components_are_those_of_scipy(seed):
    rng = np.random.default_rng(seed)
    lists = [rng.choice(60, 3, replace=False) for _ in range(25)]
    links = np.array([(a, b) for a, *others in lists for b in others]).T
    feedback = Feedback.from_orders([(f"g{n}", [f"{i:02}" for i in seen]) for n, seen in enumerate(lists)])

    found = components_of(feedback).labels

    graph = coo_array((np.ones(links.shape[1]), links), shape=(60, 60))
    expected = connected_components(graph, directed=False)[1][np.unique(np.concatenate(lists))]
    assert len(set(zip(found, expected, strict=True))) == len(set(found)) == len(set(expected))


# -- parts that go to the same point share one array ------------------------------------------------------


def test_the_same_way_leads_to_the_same_array_and_another_elsewhere():
    origin, direction, way = np.array([1.0, 2.0]), np.array([0.5, -1.0]), (3, 0.5)  # of its number, the step
    others = [
        ((4, 0.5), origin, direction), ((3, 0.25), origin, direction),
        (way, origin.copy(), direction), (way, origin, direction.copy()),
    ]  # fmt: skip

    first, second = (shared_step.take(way, origin, direction) for _ in range(2))

    assert first is second
    assert first.tolist() == [1.25, 1.5]
    for other in others:
        known, found = shared_step.take(way, origin, direction), shared_step.take(*other)
        assert found is not known
        assert found.tolist() == (other[1] + other[0][1] * other[2]).tolist()
    direction *= 2.0  # in place: the next direction
    assert shared_step.take((4, 0.5), origin, direction).tolist() == [1.5, 1.0]
    assert first.tolist() == [1.25, 1.5]


# -- dense linear algebra; that threads change no bit is tested with uncertainty --------------------------


def definite(n):
    root = np.random.default_rng(n).normal(size=(n, n))
    return root @ root.T + np.eye(n)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 64, 130])
def test_solutions_inverse_and_draws_agree_with_numpy(n):
    matrix, right, noise = definite(n), np.arange(1.0, n + 1), np.random.default_rng(n).normal(size=(n, 70))
    factor, solution = matrix.copy(), right.copy()
    factor[np.triu_indices(n, 1)] = np.nan  # only the lower half is read

    assert factorise(factor)
    substitute(factor, solution)

    np.testing.assert_allclose(matrix @ solution, right, rtol=1e-10)
    assert dot(solution, right) == pytest.approx(solution @ right)
    np.testing.assert_allclose(inverse(factor), np.linalg.inv(matrix), rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(np.tril(factor).T @ solve_transposed(factor, noise), noise, atol=1e-9)
    np.testing.assert_allclose(multiply(matrix, noise), matrix @ noise, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("worst", [-1.0, 0.0, np.nan])
def test_a_matrix_that_is_not_positive_definite_is_refused(worst):
    assert not factorise(np.diag([1.0, worst, 1.0]))


def test_panels_change_no_bit():
    """One column after the other, as the definition says, gives the very same factor."""
    factor, plain = definite(130), definite(130)
    factorise(factor)

    for k in range(130):
        plain[k:, k] /= np.sqrt(plain[k, k])
        plain[k + 1 :, k + 1 :] -= plain[k + 1 :, k, None] * plain[k + 1 :, k]

    np.testing.assert_array_equal(np.tril(factor), np.tril(plain))

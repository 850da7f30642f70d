"""What every objective promises, whatever it is made of; and where fitted models say that they stand."""

from __future__ import annotations

import numpy as np
import pytest
from model_cases import CODES, make, some_class

from peerage import MethodError
from peerage.models import Objective
from peerage.models.smooth import ListObjective, ListSum
from peerage.models.smooth.block_sum import BlockSum
from peerage.models.solver import FixedScales, ProfileFunction, ProfileObjective, minimise, parallel

SMOOTH = [code for code in CODES if make(code).is_smooth]
OTHERS = [code for code in CODES if code not in SMOOTH]
every_smooth = pytest.mark.parametrize("code", SMOOTH)


def promised(protocol):
    """The names that a protocol asks for."""
    return {name for name in (*vars(protocol), *protocol.__annotations__) if not name.startswith("_")}


def fitted(code):
    return make(code).fit(some_class(items=9, graders=14, tasks=2, weights=True))


@every_smooth
def test_every_objective_answers_all_questions(code):
    mode = fitted(code).mode()

    assert [name for name in promised(Objective) if not hasattr(mode.objective, name)] == []
    assert [name for name in promised(ProfileFunction) if not hasattr(mode.profile, name)] == []


@every_smooth
def test_sparse_and_dense_answers_agree(code):
    objective = fitted(code).mode().objective
    first, second = objective.scale_derivatives()
    hessian = objective.hessian()

    np.testing.assert_allclose(objective.sparse_hessian().toarray(), hessian, atol=1e-9)
    np.testing.assert_allclose(objective.sparse_mixed().toarray(), objective.mixed_matrix(), atol=1e-12)
    np.testing.assert_array_equal(objective.scale_gradient(), first)
    assert second.shape == objective.reviews_by_grader().shape == (objective.n_graders,)
    columns = np.random.default_rng(0).standard_normal((objective.n_items, 3)).astype(np.float32)
    np.testing.assert_allclose(objective.hessian_products(columns), hessian @ columns, rtol=2e-4, atol=2e-4)
    np.testing.assert_allclose(objective.exact_diagonal(), np.diag(hessian), rtol=1e-9)
    assert objective.overlap(objective.exact_diagonal()) >= 1.0
    assert objective.precision >= 0.0


@every_smooth
def test_a_fitted_model_stands_at_its_mode(code):
    model = fitted(code)

    mode = model.mode()

    gradient = np.abs(mode.profile.gradient()).max() / mode.objective.most_evidence
    assert gradient < 1e-6
    np.testing.assert_allclose(mode.reported(mode.objective.scores), model.scores_, atol=1e-12)
    np.testing.assert_allclose(mode.profile.scales**mode.power, model.reliabilities_, rtol=1e-6)
    assert (mode.prior is not None) == model.reliability


@pytest.mark.parametrize("code", OTHERS)
def test_methods_without_curvature_have_no_mode(code):
    with pytest.raises(MethodError, match="has no likelihood that is smooth in its scores"):
        fitted(code).mode()


def test_only_pair_counting_likelihoods_overlap():
    assert [code for code in CODES if make(code).counts_pairs] == ["BT", "BT+G", "THUR", "THUR+G"]


# -- another engine for the sum over lists ----------------------------------------------------------------


class TwoMachines:
    """A sum over lists in two parts, each with half of the blocks, as another engine would hold them."""

    def __init__(self, whole):
        self.parts = [object.__new__(BlockSum) for _ in range(2)]
        for number, part in enumerate(self.parts):
            part.__dict__.update(whole.__dict__, blocks=whole.blocks[number::2])
        self.n_items, self.n_graders, self.scales = whole.n_items, whole.n_graders, whole.scales
        self.exact_diagonal_is_cheap = whole.exact_diagonal_is_cheap

    def _added(self, name, *arguments):
        one, two = (getattr(part, name)(*arguments) for part in self.parts)
        return tuple(a + b for a, b in zip(one, two, strict=True)) if isinstance(one, tuple) else one + two

    def __getattr__(self, name):
        return lambda *arguments: self._added(name, *arguments)

    def add_hessian(self, matrix):
        for part in self.parts:
            part.add_hessian(matrix)

    def components(self):
        lists = [block.lists for part in self.parts for block in part.blocks]
        return type(self.parts[0].components())([(one.items, one.starts) for one in lists], self.n_items)

    def most_compared(self):
        return self.parts[0].most_compared()


@pytest.mark.parametrize("code", ["PL", "PL+G", "THUR+G"])
def test_another_engine_for_the_sum_gives_the_same_estimate(code, monkeypatch):
    monkeypatch.setattr(parallel, "SMALL", 0)
    model = make(code).fit(some_class(items=20, graders=40))
    lists = TwoMachines(model.objective(model.feedback_).lists)
    objective = ListObjective(lists, precision=1.0 / model.score_variance)

    outcome = minimise(model.profile(objective), np.zeros(20), tol=1e-9, max_iter=200)

    assert [name for name in promised(ListSum) if not hasattr(lists, name)] == []
    np.testing.assert_allclose(outcome.scores, model.scores_, atol=1e-6)


def test_profiles_differ_in_what_they_eliminate():
    model = make("PL+G")
    objective = model.objective(some_class())

    assert type(model.profile(objective)) is ProfileObjective
    assert type(make("PL").profile(objective)) is FixedScales

"""What every objective promises, whatever it is made of; and where fitted models say that they stand."""

from functools import cache

import numpy as np
import pytest
from model_cases import CODES, make, some_class

from peerage import MethodError

SMOOTH = [code for code in CODES if make(code).is_smooth]
OTHERS = [code for code in CODES if code not in SMOOTH]
every_smooth = pytest.mark.parametrize("code", SMOOTH)


@cache
def fitted(code):
    return make(code).fit(some_class(items=9, graders=14, tasks=2, weights=True))


@every_smooth
def test_an_objective_answers_all_questions_sparse_and_dense_alike(code):
    mode = fitted(code).mode()
    objective = mode.objective
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
    np.testing.assert_allclose(mode.scales**mode.power, model.reliabilities_, rtol=1e-6)
    assert (mode.prior is not None) == model.reliability


def test_methods_without_curvature_have_no_mode():
    for code in OTHERS:
        with pytest.raises(MethodError, match="has no likelihood that is smooth in its scores"):
            fitted(code).mode()

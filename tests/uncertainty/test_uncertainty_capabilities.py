"""Uncertainty asks what a model can do, never what it is called."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from uncertainty_cases import ranked, scored

import peerage
from peerage import uncertainty
from peerage.models.base import Estimator
from peerage.models.smooth import bradley_terry
from peerage.models.smooth.model import SmoothModel


class Newcomer(SmoothModel):
    """A smooth model that nobody has heard of: Bradley-Terry's likelihood under another name."""

    counts_pairs = True
    value_and_gradient = staticmethod(bradley_terry.value_and_gradient)
    hessian_product = staticmethod(bradley_terry.hessian_product)

    def __init__(
        self,
        *,
        reliability=False,
        score_variance=9.0,
        reliability_shape=10.0,
        reliability_rate=10.0,
        identified=False,
        tol=1e-8,
        max_iter=200,
    ):
        self.reliability, self.score_variance = reliability, score_variance
        self.identified = identified
        self.reliability_shape, self.reliability_rate = reliability_shape, reliability_rate
        self.tol, self.max_iter = tol, max_iter

    def options(self):
        return (False, False, peerage.BradleyTerry()._tie_options())


@pytest.mark.parametrize("source", ["laplace", "sampler", "bootstrap"])
def test_a_new_smooth_model_has_every_source(source):
    known, twin = (
        peerage.posterior(model(reliability=True).fit(ranked()), source=source, draws=12, jobs=1)
        for model in (Newcomer, peerage.BradleyTerry)
    )

    assert known.source == twin.source
    np.testing.assert_allclose(known.score_se, twin.score_se, rtol=1e-5)
    np.testing.assert_allclose(known.draws, twin.draws, atol=1e-4)


def test_a_new_smooth_model_learns_its_priors():
    learned, twin = (peerage.learn_priors(ranked(), model()) for model in (Newcomer, peerage.BradleyTerry))

    assert learned.score_variance == pytest.approx(twin.score_variance, rel=1e-3)


def imported(file):
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("peerage"):
            yield from (alias.name for alias in node.names)


def test_nobody_imports_a_model_to_ask_for_it():
    files = sorted(Path(uncertainty.__file__).parent.glob("*.py"))
    named = {(file.stem, name): getattr(peerage, name, None) for file in files for name in imported(file)}

    found = [
        which
        for which, value in named.items()
        if isinstance(value, type) and issubclass(value, Estimator) and value is not Estimator
    ]

    assert len(named) > 20
    assert found == []


def test_a_method_prefers_its_source():
    expected = {
        "PL": "laplace", "NCS+G": "laplace", "MAL": "sampler", "MALBC": "bootstrap", "SCAVG": "bootstrap"
    }  # fmt: skip

    for code, source in expected.items():
        fitted = peerage.fit(scored(), code)
        assert fitted.preferred_source == source, code
        assert peerage.posterior(fitted, draws=4, jobs=1).source == source, code

"""Intervals have the same bits whatever the threads of BLAS."""

from __future__ import annotations

from pathlib import Path

import pytest

from threads import with_threads

POSTERIOR = """
import hashlib, sys
sys.path.insert(0, "../models")
import peerage
from model_cases import make, some_class
feedback = some_class(items=300, graders=400, length=6)
known = peerage.posterior(make("CODE").fit(feedback), draws=200)
for part in (known.location, known.score_se, known.draws, known.reliability_draws, known.covariance):
    print(hashlib.sha256(part.tobytes()).hexdigest())
"""
EVIDENCE = """
import peerage
made = peerage.simulate(items=300, graders=300, per_grader=6, model="pl", seed=3).feedback()
print(peerage.learn_priors(made, peerage.method("PL+G")).score_variance.hex())
"""


@pytest.mark.parametrize("code", ["NCS+G", "COMBINED+G", "PL+G"])
def test_posteriors_have_the_same_bits(code):
    one, two = (with_threads(n, POSTERIOR.replace("CODE", code), Path(__file__).parent) for n in (1, 2))

    assert len(one.splitlines()) == 5
    assert one == two


def test_learned_priors_have_the_same_bits():
    one, two = (with_threads(n, EVIDENCE, Path(__file__).parent) for n in (1, 2))

    assert one == two

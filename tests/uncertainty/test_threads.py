"""Estimates and intervals have the same bits whatever the threads of BLAS."""

import os
import subprocess
import sys
from pathlib import Path

NAMES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
PROGRAM = """
import hashlib, sys
sys.path.insert(0, "../models")
import peerage
from model_cases import make, some_class

feedback = some_class(items=300, graders=400, length=6)
for code in ("PL", "PL+G", "BT+G", "NCS+G", "COMBINED+G"):
    fitted = make(code, **({"variances": "learn"} if code == "NCS+G" else {})).fit(feedback)
    known = peerage.posterior(fitted, draws=200)
    parts = (
        fitted.scores_, fitted.reliabilities_, known.location, known.score_se, known.draws,
        known.reliability_draws, known.covariance,
    )
    print(code, *(part if part is None else hashlib.sha256(part.tobytes()).hexdigest() for part in parts))
made = peerage.simulate(items=300, graders=300, per_grader=6, model="pl", seed=3).feedback()
print(peerage.learn_priors(made, peerage.method("PL+G")).score_variance.hex())
"""


def with_threads(number):
    """What a fresh process prints."""
    command, environment = [sys.executable, "-c", PROGRAM], os.environ | dict.fromkeys(NAMES, str(number))
    folder = Path(__file__).parent
    return subprocess.check_output(command, cwd=folder, env=environment, text=True).splitlines()


def test_estimates_posteriors_and_learned_priors_have_the_same_bits():
    one, two = with_threads(1), with_threads(2)

    assert len(one) == 6
    assert one == two

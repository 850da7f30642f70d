"""The bootstrap over graders."""

import sys
import sysconfig
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from uncertainty_cases import ranked, scored

import peerage
from peerage.uncertainty import bootstrap as module
from peerage.uncertainty.bootstrap import bootstrap


def test_draws_do_not_depend_on_the_number_of_jobs():
    fitted = peerage.fit(scored(), "PL+G")

    alone, shared = (bootstrap(fitted, draws=6, seed=3, jobs=jobs) for jobs in (1, 2))

    assert np.array_equal(alone.draws, shared.draws)
    assert np.array_equal(alone.reliability_draws, shared.reliability_draws)


def test_a_draw_is_a_fit_to_resampled_graders_and_progress_is_told():
    fitted, told = peerage.fit(scored(), "SCAVG"), []
    rng = np.random.default_rng(np.random.SeedSequence(9).spawn(1)[0])
    graders = rng.choice(np.arange(scored().n_graders), scored().n_graders)

    known = bootstrap(fitted, draws=2, seed=9, on_step=told.append)

    expected = peerage.fit(scored().resample(graders), "SCAVG").scores_
    np.testing.assert_allclose(known.draws[0], expected)
    assert told == ["resample 1 of 2", "resample 2 of 2"]


def test_a_warm_start_changes_nothing_but_the_way():
    fitted = peerage.fit(ranked(), "PL+G")
    resample = ranked().resample(np.arange(ranked().n_graders)[::-1] // 2)
    warm = peerage.clone(fitted)
    warm.warm_start = fitted.scores_

    warm.fit(resample)

    np.testing.assert_allclose(warm.scores_, peerage.clone(fitted).fit(resample).scores_, atol=1e-6)


def test_errors_agree_with_laplace_where_the_model_is_true():
    made = peerage.simulate(items=12, graders=150, per_grader=5, model="pl", seed=4).feedback()
    fitted = peerage.fit(made, "PL", score_variance=3.0)

    resampled, normal = bootstrap(fitted, draws=150), peerage.posterior(fitted, source="laplace")

    assert (resampled.score_se / normal.score_se).mean() == pytest.approx(1.0, abs=0.1)


def test_resamples_that_cannot_be_fitted_are_counted(monkeypatch):
    fitted = peerage.fit(scored(), "SCAVG")
    refit = module._Resampler.refit
    fails = iter([True, False, False])

    def sometimes(self, stream):
        return module._Resample(None, None, False) if next(fails) else refit(self, stream)

    monkeypatch.setattr(module._Resampler, "refit", sometimes)
    known = bootstrap(fitted, draws=3, jobs=1)

    assert known.diagnostics == {"resamples": 3, "failures": 1, "not_converged": 1}
    assert len(known.draws) == 2


def test_too_few_are_refused():
    fitted = peerage.fit(scored(), "SCAVG")

    with pytest.raises(peerage.MethodError, match="at least 2"):
        bootstrap(fitted, draws=1)
    with pytest.raises(peerage.MethodError, match="at least 1"):
        bootstrap(fitted, jobs=0)


@pytest.mark.parametrize(
    ("script", "harmless"),
    [
        (Path(peerage.__file__).parent / "__main__.py", True),
        (Path(sysconfig.get_path("scripts")) / "peerage", True),
        (Path("/home/ada/peerage/analysis.py"), False),  # a folder of that name is not the package
        (Path("/home/ada/peerage.py"), False),
        (None, True),  # a notebook
    ],
)
def test_only_our_own_command_is_taken_for_harmless(monkeypatch, script, harmless):
    main = ModuleType("__main__")
    if script is not None:
        main.__file__ = str(script)
    monkeypatch.setitem(sys.modules, "__main__", main)

    assert module._harmless_main() == harmless

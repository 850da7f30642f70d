"""One seed, and a stream of its own for every use."""

import numpy as np
import pytest

from peerage import Feedback, fit, grade, posterior, simulate
from peerage.grading.misfit import STREAM, measure_misfit
from peerage.grading.run import staff_stream

GIVEN = [9, 6, 3, 8, 7, 4, 9, 5, 5, 7, 7, 2]
SCORES = Feedback.from_columns(list("aaabbbcccddd"), list("xyz") * 4, score=GIVEN)
STAFF = {"item": ["x", "y", "z"], "score": [8.0, 6.0, 5.0]}


def beginning(generator):
    return generator.bit_generator.state["state"]["state"]


@pytest.mark.parametrize("options", [{}, {"bootstrap": 5}, {"method": "mal+g"}])
def test_no_two_uses_of_a_run_share_a_stream(monkeypatch, options):
    begun, make = [], np.random.default_rng

    def watched(*args):
        made = make(*args)
        begun.append(beginning(made))
        return made

    monkeypatch.setattr(np.random, "default_rng", watched)

    grade(SCORES, scale="0:10", anchors=STAFF, seed=3, **options)

    assert len(begun) >= 2
    assert len(set(begun)) == len(begun)


def test_streams_are_apart_from_the_seed_and_its_children():
    others = [np.random.default_rng(7), *map(np.random.default_rng, np.random.SeedSequence(7).spawn(500))]

    begun = [*map(beginning, others), beginning(staff_stream(7))]

    assert len(set(begun)) == 502
    assert beginning(staff_stream(7)) == beginning(staff_stream(7))
    assert beginning(staff_stream(7)) != beginning(staff_stream(8))


def test_the_seed_changes_nothing_about_graders_the_class_and_whom_to_look_at():
    made = simulate(items=20, graders=40, per_grader=6, lazy=0.2, backwards=0.1, seed=4)
    drawn = ["reliability_low", "reliability_high"]

    first, second = (grade(made.feedback(), owners=made.roster, seed=seed) for seed in (0, 1))

    assert first.graders.drop(drawn).equals(second.graders.drop(drawn))
    assert first.class_figures.equals(second.class_figures)
    assert first.strategic.equals(second.strategic)


def test_draws_of_scores_are_those_of_the_posterior_with_the_same_seed():
    result = grade(SCORES, method="ncs+g", scale="0:10", seed=5)

    known = posterior(fit(SCORES, "ncs+g"), draws=1000, seed=5)
    misfit = measure_misfit(known.at_mean(), known)

    wide = known.widened(misfit.widening, np.random.default_rng(STREAM))
    np.testing.assert_array_equal(result.posterior.draws, wide.draws)

"""What users of choix, evalica, arena-rank and R's PlackettLuce call, and here: the same numbers.

The tables of the pages "Coming from ..." are these tests. choix and evalica run beside; of PlackettLuce and
arena-rank, which are not at hand, the numbers are those that they publish, or gave.
"""

import math

import choix
import evalica
import numpy as np
import polars as pl
import pytest

from peerage import BradleyTerry, Feedback, PlackettLuce, fit, posterior, read, simulate

NO_PRIOR = 1e8  # a variance so large that the prior says nothing


def some_rankings(n_items, n_lists, length, seed):
    rng = np.random.default_rng(seed)
    params = rng.normal(size=n_items)
    choices = [rng.choice(n_items, length, replace=False).tolist() for _ in range(n_lists)]
    return [tuple(sorted(items, key=lambda item: -params[item] - rng.gumbel())) for items in choices]


PAIRS, RANKINGS = some_rankings(6, 300, 2, seed=5), some_rankings(7, 60, 4, seed=3)


# -- choix ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.05, 0.5])
def test_opt_pairwise_with_items_that_were_never_compared(alpha):
    theirs = choix.opt_pairwise(8, PAIRS, alpha=alpha, tol=1e-12)

    ours = BradleyTerry(score_variance=1 / (2 * alpha)).fit(Feedback.from_lists(PAIRS, items=range(8)))

    np.testing.assert_allclose(ours.scores_, theirs, atol=1e-6)


def test_opt_rankings():
    theirs = choix.opt_rankings(7, RANKINGS, alpha=0.05, tol=1e-12)

    ours = PlackettLuce(score_variance=10).fit(RANKINGS)

    np.testing.assert_allclose(ours.scores_, theirs, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "model", "data"),
    [(choix.ilsr_pairwise, BradleyTerry, PAIRS), (choix.mm_rankings, PlackettLuce, RANKINGS)],
)
def test_maximum_likelihood(call, model, data):
    ours = model(score_variance=NO_PRIOR).fit(data)

    theirs = call(len(ours.scores_), data, max_iter=100_000, tol=1e-12)

    np.testing.assert_allclose(ours.scores_, theirs - theirs.mean(), atol=1e-6)


def test_opt_top1():
    choices = [(order[0], list(order[1:])) for order in RANKINGS]
    theirs = choix.opt_top1(7, choices, alpha=0.1, tol=1e-12)

    lists = [[first, set(rest)] for first, rest in choices]
    ours = PlackettLuce(score_variance=5).fit(Feedback.from_lists(lists, items=range(7)))

    np.testing.assert_allclose(ours.scores_, theirs, atol=1e-6)


def test_probabilities_and_likelihoods():
    fitted = BradleyTerry().fit(PAIRS)
    ranked = PlackettLuce().fit(RANKINGS)

    np.testing.assert_allclose(fitted.predict_proba([(0, 3)])[0], choix.probabilities([0, 3], fitted.scores_))
    of_pairs = choix.log_likelihood_pairwise(PAIRS[:50], fitted.scores_)
    assert fitted.log_likelihood(PAIRS[:50]) == pytest.approx(of_pairs, rel=1e-12)
    of_rankings = choix.log_likelihood_rankings(RANKINGS, ranked.scores_)
    assert ranked.log_likelihood_ == pytest.approx(of_rankings, rel=1e-12)


def test_ep_approximates_the_same_posterior():
    mean, covariance = choix.ep_pairwise(6, PAIRS, alpha=1 / 9, model="logit")

    sure = posterior(BradleyTerry(score_variance=9).fit(PAIRS))

    np.testing.assert_allclose(sure.location, mean - mean.mean(), atol=0.03)
    centre = np.eye(6) - 1 / 6
    theirs = np.sqrt(np.diag(centre @ covariance @ centre))
    np.testing.assert_allclose(sure.score_se, theirs, rtol=0.03)


def test_generated_rankings_come_from_given_scores():
    """Not from the worst up: that gives every pair the same probability, and scores a tenth too small."""
    scores, alike = np.array([2.0, 1.0, 0.0, -1.0, -2.0]), np.ones(20_000)

    made = simulate(scores=scores, reliabilities=alike, model="pl", per_grader=3, length_sd=0, seed=1)

    assert made.truth["score"].to_list() == scores.tolist()
    fitted = PlackettLuce(score_variance=NO_PRIOR).fit(made.feedback())
    np.testing.assert_allclose(fitted.scores_, scores, atol=0.05)


# -- evalica and arena-rank ---------------------------------------------------------------------------------


def battles():
    rng = np.random.default_rng(5)
    strength = np.array([1.0, 0.4, 0.0, -0.3, -1.1])
    names, rows = ["amber", "birch", "cedar", "dune", "elm"], []
    for _ in range(600):
        i, j = rng.choice(5, 2, replace=False)
        win, tie = math.exp((strength[i] - strength[j]) / 2), 0.7
        chance = rng.random() * (win + tie + 1 / win)
        winner = "model_a" if chance < win else "tie" if chance < win + tie else "model_b"
        rows.append((names[i], names[j], winner))
    return pl.DataFrame(rows, schema=["model_a", "model_b", "winner"], orient="row")


BATTLES = battles()
WINNERS = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
COLUMNS = (list(BATTLES["model_a"]), list(BATTLES["model_b"]), [WINNERS[w] for w in BATTLES["winner"]])


def centred_logs(result):
    logs = np.log(result.scores.sort_index().to_numpy())
    return logs - logs.mean()


def test_evalica_bradley_terry_with_weights():
    weights = np.arange(len(BATTLES)) % 3 + 1.0
    theirs = evalica.bradley_terry(*COLUMNS, weights=weights, tolerance=1e-14, limit=100_000)

    ours = BradleyTerry(ties="half", score_variance=NO_PRIOR).fit(read(BATTLES.with_columns(weight=weights)))

    np.testing.assert_allclose(ours.scores_, centred_logs(theirs), atol=1e-6)


def test_evalica_newman_is_davidson():
    theirs = evalica.newman(*COLUMNS, tolerance=1e-14, limit=100_000)

    ours = BradleyTerry(ties="davidson", score_variance=NO_PRIOR).fit(read(BATTLES))

    np.testing.assert_allclose(ours.scores_, centred_logs(theirs), atol=1e-5)
    assert ours.tie_parameter_ == pytest.approx(2 * theirs.v, abs=1e-5)


def test_arena_rank_ratings():
    """By arena-rank 0.1.1, BradleyTerry(5) on the same battles; its own search ends at 1e-9 of the loss."""
    ours = BradleyTerry(ties="half", score_variance=NO_PRIOR).fit(read(BATTLES))

    ratings = [1107.746933, 1066.331478, 1014.409346, 980.478905, 831.033337]
    np.testing.assert_allclose(1000 + 400 / math.log(10) * ours.scores_, ratings, atol=0.01)


# -- PlackettLuce (R) ---------------------------------------------------------------------------------------

# the toy rankings of its vignette: A > B, C > A, A > D, B > A, B > C
TOY = [[1, 2, 0, 0], [2, 0, 1, 0], [1, 0, 0, 2], [2, 1, 0, 0], [0, 1, 2, 0]]


def test_rankings_without_pseudo_rankings():
    """PlackettLuce(R[, -4], npseudo = 0) of the vignette: B 0.8392, C 0.4196; deviance 5.1356, AIC 9.1356.

    Its summary has the standard errors 1.3596 and 1.5973, by the curvature at the estimate.
    """
    feedback = Feedback.from_ranks(TOY, items=list("ABCD")).for_items(["A", "B", "C"])

    fitted = PlackettLuce(score_variance=NO_PRIOR).fit(feedback)

    np.testing.assert_allclose(fitted.scores_ - fitted.scores_[0], [0, 0.8392, 0.4196], atol=5e-5)
    assert -2 * fitted.log_likelihood_ == pytest.approx(5.1356, abs=5e-5)
    assert fitted.aic_ == pytest.approx(9.1356, abs=5e-5)
    objective = fitted.objective(feedback)
    objective.evaluate(fitted.scores_, np.ones(feedback.n_graders))
    covariance = np.linalg.pinv(objective.hessian() - objective.precision * np.eye(3))
    errors = np.sqrt([covariance[0, 0] + covariance[k, k] - 2 * covariance[0, k] for k in (1, 2)])
    np.testing.assert_allclose(errors, [1.3596, 1.5973], atol=5e-4)


def test_pseudo_rankings_are_pairs_with_a_ghost():
    """PlackettLuce(R) of the vignette, npseudo = 0.5: 0, 0.5184185, 0.1354707, -1.1537565."""
    toy = Feedback.from_ranks(TOY, items=list("ABCD"))
    ghosts = [pair for item in "ABCD" for pair in ((item, "ghost"), ("ghost", item))]

    feedback = toy.merge(Feedback.from_lists(ghosts, weights=[0.5] * len(ghosts)))
    scores = PlackettLuce(score_variance=NO_PRIOR).fit(feedback).scores_[:4]

    np.testing.assert_allclose(scores - scores[0], [0, 0.5184185, 0.1354707, -1.1537565], atol=1e-5)


def test_a_normal_prior_and_adherence():
    """normal = list(mu = 0, Sigma = 4 I), gamma = list(shape = 10, rate = 10): the same cost."""
    rng = np.random.default_rng(4)
    graders = rng.integers(8, size=len(RANKINGS)).tolist()
    feedback = Feedback.from_lists(RANKINGS, graders=graders)

    fitted = fit(feedback, "pl+g", score_variance=4.0)

    def cost(scores, adherence):
        total = scores @ scores / 8 + (10 * adherence - 9 * np.log(adherence)).sum()
        for grader, order in zip(graders, RANKINGS, strict=True):
            x = adherence[feedback.grader_number(str(grader))] * scores[list(order)]
            total -= sum(x[k] - np.log(np.exp(x[k:]).sum()) for k in range(len(x) - 1))
        return total

    best = cost(fitted.scores_, fitted.reliabilities_)
    assert fitted.objective_ == pytest.approx(best)
    for _ in range(20):
        scores = fitted.scores_ + 0.01 * rng.normal(size=7)
        assert cost(scores, fitted.reliabilities_ * np.exp(0.01 * rng.normal(size=8))) > best

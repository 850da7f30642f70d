"""Examples that every package of the field is tried with, to the digits in which they were published.

Davidson's puddings, with ties, are in test_pair_ties.py.
"""

from pathlib import Path

import choix
import numpy as np
import pytest

import peerage
from peerage import BradleyTerry, Feedback

WIDE = 1e8  # a prior so wide that it is none

# Stigler 1994, as in Agresti 2002: how often articles of the column cite those of the row
JOURNALS = ["Biometrika", "Comm Statist", "JASA", "JRSS-B"]
CITATIONS = [[714, 730, 498, 221], [33, 425, 68, 17], [320, 813, 1072, 142], [284, 276, 325, 188]]

# Agresti 2002: games of 1987 that the home team won and lost, against the others in this order
TEAMS = ["Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"]
GAMES = [
    "4-3 4-2 4-3 6-1 4-2 6-0", "3-3 4-2 4-3 6-0 6-1 4-3", "2-5 4-3 2-4 4-3 4-2 6-0",
    "3-3 5-1 2-5 4-3 4-2 6-1", "5-1 2-5 3-3 4-2 5-2 6-0", "2-5 3-3 3-4 4-3 4-2 2-4",
    "2-5 1-5 1-6 2-4 1-6 3-4",
]  # fmt: skip

# Hunter 2004: 36 races of the NASCAR season of 2002, a line each, the winner first, without four drivers who
# were last whenever they drove; and log strengths from the first and the last lines of his table 2
RACES = Path(__file__).with_name("nascar2002.txt")
DRIVERS = {58: 4.15, 68: 3.62, 51: 2.08, 1: 0.0, 17: -0.31, 40: -0.15}


def test_citations_of_four_journals():
    pairs = [(row, column) for row in range(4) for column in range(4) if row != column]
    feedback = Feedback.from_lists(
        [(JOURNALS[cited], JOURNALS[citing]) for cited, citing in pairs],
        weights=[CITATIONS[cited][citing] for cited, citing in pairs],
    )

    table = peerage.posterior(BradleyTerry(score_variance=WIDE).fit(feedback)).summary(reference="Biometrika")

    np.testing.assert_allclose(table["score"], [0, -2.94907, -0.47957, 0.26895], atol=6e-6)
    np.testing.assert_allclose(table["se"], [0, 0.10255, 0.06059, 0.07083], atol=6e-6)


@pytest.mark.parametrize(
    ("home", "published"),
    [
        (False, [0, 1.1077, 0.6839, 1.4364, 1.5814, 1.2476, 1.2945]),
        (True, [0, 1.1438, 0.7047, 1.4754, 1.6196, 1.2813, 1.3271]),
    ],
)
def test_seven_baseball_teams_without_and_with_the_advantage_at_home(home, published):
    games = [
        (order, int(count), (host, guest))
        for host, row in zip(TEAMS, GAMES, strict=True)
        for guest, counts in zip([team for team in TEAMS if team != host], row.split(), strict=True)
        for order, count in zip([(host, guest), (guest, host)], counts.split("-"), strict=True)
        if count != "0"
    ]
    orders, weights, shown = zip(*games, strict=True)
    feedback = Feedback.from_lists(list(orders), weights=weights, shown=shown)

    fitted = BradleyTerry(score_variance=WIDE, order_effect=home).fit(feedback)

    np.testing.assert_allclose(fitted.scores_ - fitted.scores_[0], published, atol=6e-5)  # Baltimore is first
    if home:
        assert fitted.order_effect_ == pytest.approx(0.3023, abs=6e-5)


def test_drivers_of_the_nascar_season_of_2002():
    races = [[int(driver) for driver in line.split()] for line in RACES.read_text().splitlines()]

    fitted = peerage.fit(races, "pl", score_variance=WIDE)

    relative = fitted.scores_ - fitted.scores_[0]
    found = [relative[driver - 1] for driver in DRIVERS]
    np.testing.assert_allclose(found, list(DRIVERS.values()), atol=0.01)
    others = [[driver - 1 for driver in race] for race in races]
    other = choix.opt_rankings(83, others, initial_params=relative, tol=1e-10)  # leaves a wrong one
    np.testing.assert_allclose(relative, other - other[0], atol=5e-5)

"""Simulated classes whose truth is known, for examples, tests and planning."""

from peerage.simulation.classes import SimulatedClass, Staff, simulate
from peerage.simulation.presets import PRESETS
from peerage.simulation.rankings import SimulatedRankings, rank_all, simulate_rankings

__all__ = [
    "PRESETS",
    "SimulatedClass",
    "SimulatedRankings",
    "Staff",
    "rank_all",
    "simulate",
    "simulate_rankings",
]

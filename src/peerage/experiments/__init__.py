"""Experiments that anybody can run again: how good methods are, on simulated classes and on real data."""

from peerage.experiments.jobs import NAMES
from peerage.experiments.runner import Outcome, run

__all__ = ["NAMES", "Outcome", "run"]

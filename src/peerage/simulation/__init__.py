"""Simulated classes whose truth is known, for examples, tests and planning."""

from peerage.simulation.classes import SimulatedClass, Staff, simulate
from peerage.simulation.presets import PRESETS

__all__ = ["PRESETS", "SimulatedClass", "Staff", "simulate"]

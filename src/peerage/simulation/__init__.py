"""Simulated classes whose truth is known, for examples, tests and planning."""

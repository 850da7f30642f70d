"""Experiments that anybody can run again: how good methods are, on simulated classes and on real data."""

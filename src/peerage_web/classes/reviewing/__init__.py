"""Ranking and commenting."""

"""Mallows models: a ranking, not scores, is estimated."""

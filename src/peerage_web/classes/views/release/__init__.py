"""Releasing grades, a student's own grade, and what was written about works."""

"""Grading runs, staff grades, and what every student gets."""

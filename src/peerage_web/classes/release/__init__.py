"""Grades and comments as students see them."""

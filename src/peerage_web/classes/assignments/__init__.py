"""Assignments: what is asked for, dates, extensions, teams."""

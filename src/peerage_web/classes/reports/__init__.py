"""Submissions that cannot be reviewed."""

"""Pages of the survey."""

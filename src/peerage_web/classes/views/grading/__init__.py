"""Pages about grading: the plan, runs, staff grades, grades set by hand."""

"""Who reviews what: allocations designed for the estimator, their preview, and their repair."""

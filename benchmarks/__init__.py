"""Benchmarks: `python -m benchmarks` runs them all, `python -m benchmarks models` one of them."""

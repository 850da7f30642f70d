"""What we measured, and how to measure it again: `python -m experiments --help` and the scripts beside it."""

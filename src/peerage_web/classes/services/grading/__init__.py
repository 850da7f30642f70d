"""Grading a class: inputs, runs, what is drawn from them, what staff say, and what they set by hand."""

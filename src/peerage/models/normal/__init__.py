"""Models of the scores that graders gave."""

"""Orders and scores in one estimate."""

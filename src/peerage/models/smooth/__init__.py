"""Models with a smooth likelihood: Bradley-Terry, Plackett-Luce, Thurstone, score-weighted Mallows."""

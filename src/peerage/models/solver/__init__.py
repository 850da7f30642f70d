"""What models are fitted with: Newton's method, profile likelihood, dense algebra, threads."""

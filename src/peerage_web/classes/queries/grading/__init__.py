"""What runs say, and what follows for every student."""

"""Appeals against grades."""

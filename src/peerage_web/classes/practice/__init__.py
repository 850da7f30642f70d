"""The practice round."""

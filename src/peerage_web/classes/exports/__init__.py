"""Gradebooks and published data sets."""

"""Exports: grade books for other systems, and data sets that could be published."""

"""Example classes, made up from end to end: for a first look at an instance on one's own machine."""

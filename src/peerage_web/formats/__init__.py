"""Dates and times where Django's own formats do not suit our sentences."""

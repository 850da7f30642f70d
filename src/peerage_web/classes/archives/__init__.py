"""A whole course as an archive."""

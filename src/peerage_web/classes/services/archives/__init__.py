"""A whole course as an archive: written here, and read on another instance."""

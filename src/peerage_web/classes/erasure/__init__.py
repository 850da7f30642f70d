"""A person's data: exporting and erasing it."""

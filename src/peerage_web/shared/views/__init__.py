"""Pages that belong to no part of the service in particular."""

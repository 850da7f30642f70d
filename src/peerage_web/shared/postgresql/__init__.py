"""Django's backend for PostgreSQL, with a pool that outlives the server: see `base`."""

"""Who may come in: people who sign in, and tokens of the API."""

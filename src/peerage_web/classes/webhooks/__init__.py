"""API tokens and webhooks of a course."""

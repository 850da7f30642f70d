"""Signing in and out, links that work once, and one's own account."""

"""Keys in addresses and names of stored files: random, never counted. And a condition for constraints."""

import secrets

from django.db.models import Q


def short_key() -> str:
    """For what members of a course find through links: 72 random bits."""
    return secrets.token_urlsafe(9)


def secret_key() -> str:
    """For what nobody may guess: 192 random bits."""
    return secrets.token_urlsafe(24)


def exactly_one(first: Q, second: Q) -> Q:
    """Spelt out: SQLite has no XOR, and Django's way around it is hard to read in a schema."""
    return (first & ~second) | (~first & second)

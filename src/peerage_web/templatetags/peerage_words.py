"""Numbers as people write them."""

from __future__ import annotations

from django import template

register = template.Library()


@register.filter
def megabytes(size: int) -> str:
    """`20 MB`, `1.5 MB`, `12 kB`, `1 byte`."""
    if size < 1000:
        return f"{size} byte{'' if size == 1 else 's'}"
    if size < 1 << 20:
        return f"{size / 1000:.0f} kB"
    return f"{size / (1 << 20):.1f}".removesuffix(".0") + " MB"


@register.filter
def count(number: int) -> str:
    """`500,000`."""
    return f"{number:,}"


@register.filter
def lasting(seconds: int) -> str:
    """`5 minutes`, `90 seconds`."""
    if seconds >= 120 and seconds % 60 == 0:
        return f"{seconds // 60} minutes"
    return f"{seconds} second{'' if seconds == 1 else 's'}"


@register.filter
def hours(number: int) -> str:
    """`1 hour`, `24 hours`, `7 days`."""
    if number >= 48 and number % 24 == 0:
        return f"{number // 24} days"
    return f"{number} hour{'' if number == 1 else 's'}"

"""Numbers as people write them."""

from django import template
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

register = template.Library()


@register.filter
def file_size(size: int) -> str:
    """`10 GB`, `20 MB`, `1.5 MB`, `12 kB`, `1 byte`; no parts of a MB where there are hundreds."""
    if size < 1000:
        return ngettext("%(size)d byte", "%(size)d bytes", size) % {"size": size}
    if size < 1 << 20:
        return _("%(size)d kB") % {"size": round(size / 1000)}
    megabytes = size / (1 << 20)
    if megabytes >= 1000:  # as settings count them: 10,000 MB are 10 GB
        return _("%(size)s GB") % {"size": _one_decimal(megabytes / 1000)}
    return _("%(size)s MB") % {"size": _one_decimal(megabytes if megabytes < 100 else round(megabytes))}


def _one_decimal(number: float) -> str:
    rounded = round(number, 1)
    return number_format(rounded, 0 if rounded == int(rounded) else 1)


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

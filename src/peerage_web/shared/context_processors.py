"""What every template knows."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest

from peerage import __version__


def instance(request: HttpRequest) -> dict[str, Any]:
    return {
        "limits": settings.LIMITS,
        "grade_a_file": settings.GRADE_A_FILE,
        "classes": settings.CLASSES,
        "accounts": settings.CLASSES or settings.GRADE_A_FILE == "sign-in",
        "home": "start" if settings.GRADE_A_FILE != "off" or not settings.CLASSES else "courses",
        "contact": settings.CONTACT,
        "trace_days": settings.TRACE_DAYS,
        "version": __version__,
    }

"""Pages that belong to no part of the service: help, privacy, and health checks for those who watch it."""

import shutil

from django.conf import settings
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from peerage_web.sandbox import parent
from peerage_web.shared import heartbeats


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    return render(request, "shared/privacy.html")


@require_safe
def help_page(request: HttpRequest) -> HttpResponse:
    """The manual; without one, a page of what to give, what to look at, what the grades mean."""
    if settings.MANUAL:
        return redirect("manual")
    return render(request, "shared/help.html")


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    """No page here is for search engines."""
    return HttpResponse("User-agent: *\nDisallow: /\n", content_type="text/plain; charset=utf-8")


@require_safe
def healthy(request: HttpRequest) -> JsonResponse:
    """The web worker answers; nothing else is asked."""
    return JsonResponse({"status": "ok"})


@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    """Whether a visitor could get grades now; with code 503 it says what is missing."""
    checks = readiness_checks()
    good = set(checks.values()) == {"ok"}
    answer = {"status": "ok" if good else "not ready", "checks": checks}
    return JsonResponse(answer, status=200 if good else 503)


def readiness_checks() -> dict[str, str]:
    """What is needed, and "ok" or what is wrong with it."""
    return {
        "database": _database(),
        "task_worker": _process("task_worker"),
        "maintenance": _process("maintenance"),
        "kernels": _kernels(),
        "disk": _disk(),
    }


def _database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return "does not answer"
    return "ok"


def _process(kind: str) -> str:
    return "ok" if heartbeats.is_alive(settings.HEARTBEATS, kind) else "no heartbeat"


def _kernels() -> str:
    """Of this web worker; the task worker has no heartbeat before it has its own."""
    return "ok" if parent.is_warm() else "being compiled or loaded"


def _disk() -> str:
    try:
        free = shutil.disk_usage(settings.DATA).free
    except OSError:
        return "cannot be read"
    return "ok" if free >= settings.LEAST_FREE else "almost full"

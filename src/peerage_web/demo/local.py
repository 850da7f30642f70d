"""Whether this is somebody's own machine: examples are made nowhere else."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

from peerage_web.accounts.services.links import needs_first_account

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost", "[::1]"})


def is_own_machine() -> bool:
    """As far as settings tell: no TLS, no proxy, and no name but that of the machine itself."""
    hosts = {str(host).strip("[]") for host in settings.ALLOWED_HOSTS} - {"testserver"}
    own = {host.strip("[]") for host in LOOPBACK}
    return bool(settings.CLASSES and not settings.HTTPS and not settings.PROXY and hosts <= own)


def is_offered(request: HttpRequest) -> bool:
    """Whether the start page has the button: listening on loopback alone, and nobody runs the instance."""
    if not is_own_machine() or "X-Forwarded-For" in request.headers:
        return False
    listening = str(request.META.get("SERVER_NAME", ""))
    asking = str(request.META.get("REMOTE_ADDR", ""))
    return listening in LOOPBACK and asking in LOOPBACK and needs_first_account()

"""The button on the start page of an instance on one's own machine, and the ways in that it opens."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from peerage_web.accounts.services.links import needs_first_account
from peerage_web.classes.enums import Phase
from peerage_web.demo.example_class import make_example
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import mark_refusal

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


@require_POST
def demo(request: HttpRequest) -> HttpResponse:
    """Make an example class; where it is not offered, there is no such page."""
    if not is_offered(request):
        raise Http404
    value = request.POST.get("phase", "")
    phase = Phase(value) if value in Phase.values else Phase.REVIEWING
    try:
        example = make_example(phase=phase, in_teams="in_teams" in request.POST)
    except Refused as error:
        return mark_refusal(render(request, "demo/made.html", {"refused": str(error)}), error)
    return render(request, "demo/made.html", {"made": example, "phase": phase.label})

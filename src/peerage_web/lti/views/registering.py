"""Dynamic registration: an administrator of a platform opens our link there."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from peerage_web.lti.models import LtiRegistration
from peerage_web.lti.models.platforms import origin_of
from peerage_web.lti.services import registrations
from peerage_web.lti.views.declared import for_platforms
from peerage_web.lti.views.frames import in_frame, is_from_our_page
from peerage_web.shared.errors import Refused


@for_platforms("a link that works once, made by those who run the service", "GET", "POST")
def register(request: HttpRequest, invitation: str) -> HttpResponse:
    """Looking does nothing; the button registers."""
    found = registrations.find_invitation(secret=invitation)
    if found is None:
        raise Http404
    given = request.POST if request.method == "POST" else request.GET
    configuration = given.get("openid_configuration", "")[:1000]
    token = given.get("registration_token", "")[:8000]
    # the page may be in a frame of whoever was given the link; nobody else knows its address
    around = LtiRegistration(issuer=configuration, auth_url=configuration)
    context = {"configuration": configuration, "token": token, "origin": origin_of(configuration)}
    if request.method == "POST":
        try:
            if not is_from_our_page(request):
                raise Refused("This form was not on our page.")
            made = registrations.register_by_link(invitation=found, configuration=configuration, token=token)
        except Refused as error:
            page = render(request, "lti/registering.html", {**context, "refused": str(error)}, status=422)
            return in_frame(page, around)
        return in_frame(render(request, "lti/registered.html", {**context, "made": made}), around)
    return in_frame(render(request, "lti/registering.html", context), around)

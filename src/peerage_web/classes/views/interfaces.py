"""How programs reach a course: tokens of the API, and webhooks that tell them what happens."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.interface_forms import TokenForm, WebhookForm
from peerage_web.classes.models import Webhook
from peerage_web.classes.queries import interfaces as queries
from peerage_web.classes.rules import Action
from peerage_web.classes.services import interfaces as services
from peerage_web.classes.services.delivering import shown_secret
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page
from peerage_web.shared.errors import Refused


@allowed(Action.EDIT_INTERFACES)
def interfaces(request: HttpRequest, here: Here) -> HttpResponse:
    """Both lists, and forms for more."""
    return _page(request, here)


@allowed(Action.EDIT_INTERFACES, "POST")
def add_token(request: HttpRequest, here: Here) -> HttpResponse:
    """Make a token; the page that comes back is the only one that ever shows it."""
    form, made = TokenForm(request.POST), ""
    if form.is_valid():
        try:
            made = services.add_course_token(course=here.course, by=here.person, **form.cleaned_data)
        except Refused as error:
            form.add_error("name", str(error))
    if not made:
        return _page(request, here, 422, token_form=form)
    return _page(request, here, made=made, made_name=form.cleaned_data["name"])


@allowed(Action.EDIT_INTERFACES, "POST")
def revoke_token(request: HttpRequest, here: Here) -> HttpResponse:
    """Take a token back."""
    services.revoke_course_token(token=here.objects["token"], by=here.person)
    messages.success(request, _("Revoked: %(name)s") % {"name": here.objects["token"].name})
    return redirect("interfaces", here.course.key)


@allowed(Action.EDIT_INTERFACES, "POST")
def add_webhook(request: HttpRequest, here: Here) -> HttpResponse:
    """Tell another address."""
    form = WebhookForm(request.POST)
    if form.is_valid():
        try:
            made = services.add_webhook(course=here.course, by=here.person, url=form.cleaned_data["url"])
            return redirect("webhook", here.course.key, made.pk)
        except Refused as error:
            form.add_error("url", str(error))
    return _page(request, here, 422, webhook_form=form)


@allowed(Action.EDIT_INTERFACES)
def webhook(request: HttpRequest, here: Here) -> HttpResponse:
    """One address: the secret that messages are signed with, and what became of the last of them."""
    one: Webhook = here.objects["webhook"]
    context: dict[str, Any] = {
        "webhook": one,
        "secret": shown_secret(one),
        "deliveries": queries.last_deliveries(one),
    }
    return page(request, here, "webhook", **context)


@allowed(Action.EDIT_INTERFACES, "POST")
def end_webhook(request: HttpRequest, here: Here) -> HttpResponse:
    """Tell it nothing any more."""
    services.end_webhook(webhook=here.objects["webhook"], by=here.person)
    messages.success(request, _("This address is not told anything any more."))
    return redirect("interfaces", here.course.key)


@allowed(Action.EDIT_INTERFACES, "POST")
def try_webhook(request: HttpRequest, here: Here) -> HttpResponse:
    """Send a message that says nothing; or, if the form names one, a message that was given up once more."""
    one: Webhook = here.objects["webhook"]
    again = request.POST.get("again", "")
    try:
        if again:
            services.send_again(webhook=one, delivery=again)
        else:
            services.try_webhook(webhook=one)
        messages.success(request, _("It is on its way. Load the page again in a moment to see the answer."))
    except Refused as error:
        messages.error(request, str(error))
    return redirect("webhook", here.course.key, one.pk)


def _page(request: HttpRequest, here: Here, status: int = 200, **context: Any) -> HttpResponse:
    whole: dict[str, Any] = {
        "tokens": queries.tokens_of(here.course),
        "webhooks": queries.webhooks_of(here.course),
        "token_form": TokenForm(),
        "webhook_form": WebhookForm(),
        **context,
    }
    return page(request, here, "interfaces", status, **whole)

"""The page of API tokens and webhooks."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from peerage_web.classes.access import allowed, page
from peerage_web.classes.permissions import Action
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.webhooks import services
from peerage_web.classes.webhooks import services as queries
from peerage_web.classes.webhooks.delivery import shown_secret
from peerage_web.classes.webhooks.models import Webhook
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import refusal_as_message

DAYS = [
    (30, gettext_lazy("30 days")),
    (90, gettext_lazy("90 days")),
    (180, gettext_lazy("180 days")),
    (365, gettext_lazy("one year")),
]


class TokenForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Token name"), max_length=100, help_text=gettext_lazy("For example: gradebook")
    )
    days = forms.TypedChoiceField(label=gettext_lazy("Valid for"), choices=DAYS, coerce=int, initial=180)
    may_write = forms.BooleanField(
        label=gettext_lazy("Allow changes"),
        required=False,
        help_text=gettext_lazy("Without this, the token can only read."),
    )


class WebhookForm(forms.Form):
    url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=500,
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
        help_text=gettext_lazy("The address where your program receives messages."),
    )


# -- How programs reach a course: tokens of the API, and webhooks that tell them what happens ----------


@allowed(Action.EDIT_TOKENS_AND_WEBHOOKS)
def tokens_and_webhooks(request: HttpRequest, here: RequestScope) -> HttpResponse:
    return _page(request, here)


@allowed(Action.EDIT_TOKENS_AND_WEBHOOKS, "POST")
def add_token(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Make a token; the page that comes back is the only one that ever shows it."""
    form, token = TokenForm(request.POST), ""
    if form.is_valid():
        try:
            token = services.add_course_token(course=here.course, by=here.person, **form.cleaned_data)
        except Refused as error:
            form.add_error("name", str(error))
    if not token:
        return _page(request, here, 422, token_form=form)
    return _page(request, here, made=token, made_name=form.cleaned_data["name"])


@allowed(Action.EDIT_TOKENS_AND_WEBHOOKS, "POST")
def revoke_token(request: HttpRequest, here: RequestScope) -> HttpResponse:
    services.revoke_course_token(token=here.objects["token"], by=here.person)
    messages.success(request, _("Revoked: %(name)s") % {"name": here.objects["token"].name})
    return redirect("tokens-and-webhooks", here.course.key)


@allowed(Action.EDIT_TOKENS_AND_WEBHOOKS, "POST")
def add_webhook(request: HttpRequest, here: RequestScope) -> HttpResponse:
    form = WebhookForm(request.POST)
    if form.is_valid():
        try:
            webhook = services.add_webhook(course=here.course, by=here.person, url=form.cleaned_data["url"])
            return redirect("webhook", here.course.key, webhook.pk)
        except Refused as error:
            form.add_error("url", str(error))
    return _page(request, here, 422, webhook_form=form)


@allowed(Action.EDIT_TOKENS_AND_WEBHOOKS)
def webhook(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """One address: the secret that messages are signed with, and what became of the last of them."""
    webhook: Webhook = here.objects["webhook"]
    context: dict[str, Any] = {
        "webhook": webhook,
        "secret": shown_secret(webhook),
        "deliveries": queries.last_deliveries(webhook),
    }
    return page(request, here, "webhooks/webhook", **context)


@allowed(Action.EDIT_TOKENS_AND_WEBHOOKS, "POST")
def end_webhook(request: HttpRequest, here: RequestScope) -> HttpResponse:
    services.end_webhook(webhook=here.objects["webhook"], by=here.person)
    messages.success(request, _("This webhook has been removed."))
    return redirect("tokens-and-webhooks", here.course.key)


@allowed(Action.EDIT_TOKENS_AND_WEBHOOKS, "POST")
def try_webhook(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Send a message that says nothing; or, if the form names one, a message that was given up once more."""
    webhook: Webhook = here.objects["webhook"]
    again = request.POST.get("again", "")
    with refusal_as_message(request):
        if again:
            services.send_again(webhook=webhook, delivery=again)
        else:
            services.try_webhook(webhook=webhook)
        messages.success(
            request, _("The message is on its way. Reload the page in a moment to see the response.")
        )
    return redirect("webhook", here.course.key, webhook.pk)


def _page(request: HttpRequest, here: RequestScope, status: int = 200, **context: Any) -> HttpResponse:
    whole: dict[str, Any] = {
        "tokens": queries.tokens_of(here.course),
        "webhooks": queries.webhooks_of(here.course),
        "token_form": TokenForm(),
        "webhook_form": WebhookForm(),
        **context,
    }
    return page(request, here, "webhooks/tokens_and_webhooks", status, **whole)

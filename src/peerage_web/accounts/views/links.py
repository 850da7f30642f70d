"""Links that work once, and asking for one. Opening a link shows a form; only sending it uses the link."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from peerage_web.accounts import forms
from peerage_web.accounts.models import OneTimeLink
from peerage_web.accounts.services.links import find_link, use_link
from peerage_web.accounts.services.resets import ask_for_reset
from peerage_web.accounts.services.sessions import begin_session
from peerage_web.accounts.views.access import where_people_sign_in
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import mark_refusal
from peerage_web.shared.visitors import visitor_of

Kind = OneTimeLink.Kind
FORMS: dict[str, type[Any]] = {
    Kind.FIRST: forms.FirstAccountForm,
    Kind.INVITATION: forms.InvitationForm,
    Kind.RESET: forms.PasswordFields,
    Kind.SIGN_IN: forms.SignInLinkForm,
}


@where_people_sign_in
@require_http_methods(["GET", "HEAD", "POST"])
def one_time_link(request: HttpRequest, text: str) -> HttpResponse:
    """Show what the link is for; do it when the form is sent."""
    link = find_link(text=text)
    if link is None:
        return render(request, "accounts/link_gone.html", status=410)
    name = link.person.name if link.person is not None else ""
    form = FORMS[link.kind](request.POST or None, initial={"name": name})
    context = {"form": form, "kind": link.kind, "email": link.person.email if link.person else ""}
    if request.method != "POST" or not form.is_valid():
        return render(request, "accounts/link.html", context, status=422 if form.errors else 200)
    try:
        person = use_link(text=text, **form.cleaned_data)
    except Refused as error:
        form.add_error("password" if "password" in form.fields else None, str(error))
        return mark_refusal(render(request, "accounts/link.html", context), error)
    begin_session(request=request, person=person)
    return redirect("courses")


@where_people_sign_in
@require_http_methods(["GET", "HEAD", "POST"])
def reset(request: HttpRequest) -> HttpResponse:
    """Ask for a link that sets another password. The answer does not tell whether there is an account."""
    form = forms.ResetForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        return render(request, "accounts/reset.html", {"form": form}, status=422 if form.errors else 200)
    try:
        ask_for_reset(email=form.cleaned_data["email"], visitor=visitor_of(request))
    except Refused as error:
        form.add_error(None, str(error))
        return mark_refusal(render(request, "accounts/reset.html", {"form": form}), error)
    text = _("If there is an account with this address, a link is on its way to it.")
    return render(request, "accounts/reset.html", {"done": text})

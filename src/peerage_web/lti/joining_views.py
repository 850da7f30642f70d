"""The page on which somebody joins the account of a learning platform with one that has an e-mail address."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth import authenticate
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.accounts.services.sign_in import begin_session, count_guess, forget_guess
from peerage_web.accounts.views import person_of
from peerage_web.lti.access import for_people
from peerage_web.lti.forms import JoinForm
from peerage_web.lti.joining import join_accounts
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import mark_refusal
from peerage_web.shared.visitors import visitor_of


@for_people("GET", "POST")
def join(request: HttpRequest) -> HttpResponse:
    """Nothing is joined before both are proved, and somebody has said so."""
    person = person_of(request)
    if not person.is_from_elsewhere:
        raise Http404
    form = JoinForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        return render(request, "lti/joining.html", {"form": form}, status=422 if form.errors else 200)
    try:
        account = _proved_account(request, form.cleaned_data["email"], form.cleaned_data["password"])
        join_accounts(from_platform=person, account=account)
    except Refused as error:
        form.add_error(None, str(error))
        return mark_refusal(render(request, "lti/joining.html", {"form": form}), error)
    begin_session(request=request, person=account)
    messages.success(
        request, _("Your accounts are joined. Your learning platform now signs you in to this one.")
    )
    return redirect("courses")


def _proved_account(request: HttpRequest, email: str, password: str) -> Person:
    """Guesses count as at a sign-in."""
    counted = count_guess(name=email, visitor=visitor_of(request), mark="")
    account = authenticate(request, username=email, password=password)
    if not isinstance(account, Person):
        raise Refused(_("The e-mail address and password do not match. Check both."))
    forget_guess(counted=counted)
    return account

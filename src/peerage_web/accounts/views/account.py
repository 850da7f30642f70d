"""One's own account: name, language, reminders, and the browsers in which one is signed in."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from peerage_web.accounts.forms import AccountForm
from peerage_web.accounts.models import SignIn
from peerage_web.accounts.services import sessions
from peerage_web.accounts.views.access import person_of, where_people_sign_in


@where_people_sign_in
@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """Show it, or change name, language and reminders."""
    person = person_of(request)
    fields = ("name", "language", "wants_reminders")
    form = AccountForm(request.POST or None, initial={name: getattr(person, name) for name in fields})
    if request.method == "POST" and form.is_valid():
        for name in fields:
            setattr(person, name, form.cleaned_data[name])
        person.save(update_fields=fields)
        messages.success(request, _("Saved."))
        return redirect("account")
    context = {
        "form": form,
        "sign_ins": SignIn.objects.filter(person=person),
        "here": request.session.session_key,
    }
    return render(request, "accounts/account.html", context, status=422 if form.errors else 200)


@where_people_sign_in
@require_POST
@login_required
def end_session(request: HttpRequest, number: int) -> HttpResponse:
    """Sign out one browser."""
    if not sessions.end_session(person=person_of(request), number=number):
        raise Http404
    messages.success(request, _("That browser is signed out."))
    return redirect("account")


@where_people_sign_in
@require_POST
@login_required
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    """Sign out all browsers but this one."""
    sessions.end_other_sessions(person=person_of(request), but=request.session.session_key)
    messages.success(request, _("All other browsers are signed out."))
    return redirect("account")

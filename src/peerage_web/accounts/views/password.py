"""Changing one's own password."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from peerage_web.accounts.forms import NewPassword
from peerage_web.accounts.services.sessions import begin_session
from peerage_web.accounts.services.users import set_password
from peerage_web.accounts.views.access import person_of, where_people_sign_in
from peerage_web.shared.errors import Refused


@where_people_sign_in
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def password(request: HttpRequest) -> HttpResponse:
    """A new password for the one who is signed in; other browsers are signed out."""
    form = NewPassword(request.user, request.POST or None)
    if form.is_valid():
        try:
            set_password(person=person_of(request), password=form.cleaned_data["new"])
        except Refused as error:
            form.add_error("new", str(error))
        else:
            begin_session(request=request, person=person_of(request))  # this browser stays
            return redirect("password-changed")
    status = 422 if form.errors else 200
    return render(request, "accounts/password.html", {"form": form}, status=status)


@where_people_sign_in
@login_required
@require_http_methods(["GET", "HEAD"])
def password_changed(request: HttpRequest) -> HttpResponse:
    """It worked."""
    return render(request, "accounts/password_changed.html")

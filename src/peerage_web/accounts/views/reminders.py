"""Turning reminders off by the link in them. Programs that open links in mail turn nothing off."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from peerage_web.accounts.services.reminders import find_by_way_out, turn_reminders
from peerage_web.accounts.views.access import where_people_sign_in


@where_people_sign_in
@require_http_methods(["GET", "HEAD", "POST"])
def reminders_off(request: HttpRequest, text: str) -> HttpResponse:
    """Show a button; sending it turns them off, or on again."""
    person = find_by_way_out(text=text)
    if person is None:
        return render(request, "accounts/link_gone.html", status=410)
    if request.method == "POST":
        turn_reminders(person=person, on=request.POST.get("wanted") == "yes")
    return render(request, "accounts/reminders_off.html", {"wanted": person.wants_reminders})

"""The calendar of one's own deadlines: the page with its address, and the file behind that."""

import hashlib

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.access import allowed, opened_by_key, page
from peerage_web.classes.calendars.services import calendar_of, deadlines_of, end_calendar, renew_calendar
from peerage_web.classes.permissions import Action
from peerage_web.classes.scope import RequestScope


@allowed(Action.SEE_OWN_DATES)
def calendar(request: HttpRequest, here: RequestScope) -> HttpResponse:
    key = here.person.calendar_key
    address = settings.BASE_URL + reverse("calendar-file", args=[key]) if key else ""
    return page(request, here, "calendars/calendar", address=address, deadlines=deadlines_of(here.person))


@allowed(Action.RENEW_CALENDAR, "POST")
def renew(request: HttpRequest, here: RequestScope) -> HttpResponse:
    if request.POST.get("end") == "yes":
        end_calendar(person=here.person)
        messages.success(request, _("The calendar address was deleted."))
    else:
        renew_calendar(person=here.person)
        messages.success(request, _("The calendar has a new address. Earlier addresses no longer work."))
    return redirect("calendar")


@opened_by_key(Action.SEE_OWN_DATES)
def file(request: HttpRequest, person: Person) -> HttpResponse:
    """The calendar, for programs that have its address; they ask again and again, mostly for the same."""
    text = calendar_of(person)
    etag = quote_etag(hashlib.sha256(text.encode()).hexdigest()[:32])
    response = HttpResponse(
        text,
        content_type="text/calendar; charset=utf-8",
        headers={"Content-Disposition": 'inline; filename="peerage.ics"', "ETag": etag},
    )
    return get_conditional_response(request, etag=etag, response=response) or response

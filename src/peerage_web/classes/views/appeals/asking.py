"""A student's appeals: asking, seeing the answer, taking one back."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.forms.appeals import AppealForm
from peerage_web.classes.queries.appeals.lists import own_appeals
from peerage_web.classes.queries.appeals.window import window_of
from peerage_web.classes.rules import Action
from peerage_web.classes.sentences import APPEAL_CLOSED
from peerage_web.classes.services.appeals import asking as services
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page
from peerage_web.shared.errors import Refused


@allowed(Action.APPEAL, "GET", "POST", keeps_typed=True)
def appeal(request: HttpRequest, here: Here) -> HttpResponse:
    """All of one's own in this assignment, and a form while there is time."""
    form = AppealForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            services.ask(assignment=here.assignment, member=here.member, **form.cleaned_data)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Your appeal is in. You are told by e-mail when it is answered."))
            return redirect("appeal", here.course.key, here.assignment.key)
    window = window_of(here.assignment, here.member)
    return page(
        request,
        here,
        "appeals/ask",
        422 if form.errors else 200,
        form=form,
        window=window,
        closed=APPEAL_CLOSED.get(window.closed, ""),
        appeals=own_appeals(here.assignment, here.member),
    )


@allowed(Action.APPEAL, "POST")
def withdraw(request: HttpRequest, here: Here) -> HttpResponse:
    """Take it back."""
    try:
        services.withdraw(appeal=here.objects["appeal"], by=here.person)
    except Refused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("You have taken your appeal back."))
    return redirect("appeal", here.course.key, here.assignment.key)

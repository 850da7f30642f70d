"""A student's own grade. First comments are rated, then it is shown."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.queries.grading.plans import plan_of
from peerage_web.classes.queries.release.current import current_grade, was_taken_back
from peerage_web.classes.queries.release.feedback import received_by
from peerage_web.classes.queries.release.told import told
from peerage_web.classes.rules import Action
from peerage_web.classes.services.release.rating import RATINGS, rate, reveal, still_to_rate
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page
from peerage_web.shared.errors import Refused

_WORDS = frozenset(str(one) for one in RATINGS)


@allowed(Action.SEE_OWN_GRADE)
def grade(request: HttpRequest, here: Here) -> HttpResponse:
    """What is still to be rated; or the grade, the feedback and how the reviewing went."""
    shown = reveal(assignment=here.assignment, member=here.member)
    if shown is not None:
        return page(
            request,
            here,
            "release/grade",
            told=told(shown, shown.release.run),
            received=received_by(shown.work, here.member),
            release=shown.release,
        )
    waiting = current_grade(here.assignment, here.member)
    received = received_by(waiting.work, here.member) if waiting is not None else []
    return page(
        request,
        here,
        "release/rate",
        received=received,
        waiting=waiting,
        ratings=RATINGS,
        counts=bool(plan_of(here.assignment).helpfulness_weight),
    )


def own_grade(here: Here) -> dict[str, Any] | None:
    """What the page of an assignment says of the reader's grade: never the grade before it was shown."""
    if not here.may(Action.SEE_OWN_GRADE):
        return {"taken_back": True} if was_taken_back(here.assignment, here.member) else None
    found = current_grade(here.assignment, here.member)
    to_rate = len(still_to_rate(found)) if found is not None else 0
    return {"grade": found, "to_rate": to_rate, "is_new": found is not None and found.seen_at is None}


@allowed(Action.RATE_HELPFULNESS, "POST")
def rate_comments(request: HttpRequest, here: Here) -> HttpResponse:
    """Keep what was rated; the grade follows once nothing is left."""
    sent = {name: str(text) for name, text in request.POST.items() if name.startswith("rate-")}
    given = {name[5:]: int(text) for name, text in sent.items() if text in _WORDS}
    try:
        rate(assignment=here.assignment, member=here.member, ratings=given)
    except Refused as error:
        messages.error(request, str(error))
    else:
        waiting = current_grade(here.assignment, here.member)
        if waiting is not None and still_to_rate(waiting):
            messages.warning(request, _("What you rated is saved. Some is still to be rated."))
    return redirect("grade", here.course.key, here.assignment.key)

"""Releasing grades: what students see or will see, the release itself, and taking it back."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.models import Membership, Release
from peerage_web.classes.queries import stepper
from peerage_web.classes.queries.grading.plans import plan_of
from peerage_web.classes.queries.release.current import asks_for_ratings
from peerage_web.classes.queries.release.feedback import received_by
from peerage_web.classes.queries.release.page import release_page
from peerage_web.classes.queries.release.told import told
from peerage_web.classes.rules import Action
from peerage_web.classes.services.release.by_hand import release_grades, retract_grades
from peerage_web.classes.services.release.rating import RATINGS
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page
from peerage_web.classes.words import Phase, Role
from peerage_web.shared.errors import Refused

PER_PAGE = 50


@allowed(Action.SEE_RELEASE)
def release(request: HttpRequest, here: Here) -> HttpResponse:
    """Everybody's grade, as they see it or will, with the buttons."""
    found = release_page(here.assignment)
    only_changed = request.GET.get("show") == "changed" and found.release is not None
    listed = found.changed if only_changed else found.lines
    return page(
        request,
        here,
        "release/release",
        found=found,
        lines=Paginator(listed, PER_PAGE).get_page(request.GET.get("page")),
        only_changed=only_changed,
        query="show=changed" if only_changed else "",
        next=stepper.next_step(here.assignment) if here.assignment.phase == Phase.CLOSED else None,
        history=Release.objects.filter(assignment=here.assignment).select_related("made_by", "run")[:20],
        rates_first=asks_for_ratings(here.assignment),
    )


@allowed(Action.RELEASE, "POST")
def release_now(request: HttpRequest, here: Here) -> HttpResponse:
    """Release what was shown; again, with a reason, where grades are out already."""
    run = request.POST.get("run", "")
    try:
        release_grades(
            assignment=here.assignment,
            by=here.person,
            run=int(run) if run.isascii() and run.isdigit() and len(run) < 6 else 0,
            why=request.POST.get("why", "").replace("\0", "").strip()[:300],
        )
    except Refused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The grades are released. Students are told by e-mail."))
    return redirect("release", here.course.key, here.assignment.key)


@allowed(Action.RELEASE, "POST")
def retract(request: HttpRequest, here: Here) -> HttpResponse:
    """Take the grades back."""
    try:
        retract_grades(assignment=here.assignment, by=here.person)
    except Refused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("Students no longer see their grades. Everything is kept."))
    return redirect("release", here.course.key, here.assignment.key)


@allowed(Action.SEE_RELEASE)
def as_student(request: HttpRequest, here: Here) -> HttpResponse:
    """The page of one student: what they see now or, before the release, what they will see."""
    member: Membership = here.objects["member"]
    if member.role != Role.STUDENT:
        raise Http404
    found, asks = release_page(here.assignment), asks_for_ratings(here.assignment)
    line = found.line_of(member)
    shown = line.now or line.then
    context: dict[str, Any] = {
        "as_student": member,
        "release": line.now.release if line.now is not None else None,
    }
    received = received_by(shown.work if shown is not None else None, member)
    to_rate = sum(bool(one.shown) for one in received) if asks else 0
    if shown is None or (to_rate and request.GET.get("stage") == "rate"):
        return page(
            request,
            here,
            "release/rate",
            received=received,
            waiting=shown,
            ratings=RATINGS,
            counts=bool(plan_of(here.assignment).helpfulness_weight),
            **context,
        )
    run = shown.release.run if line.now is not None else found.run
    assert run is not None  # what is shown comes from one
    return page(
        request,
        here,
        "release/grade",
        told=told(shown, run),
        received=received,
        rates_first=to_rate,
        **context,
    )

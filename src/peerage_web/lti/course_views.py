"""A course's learning platform: the roster from there, the grades to there."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.access import allowed, page
from peerage_web.classes.permissions import Action
from peerage_web.classes.scope import RequestScope
from peerage_web.lti import outbox
from peerage_web.lti import roster as rosters
from peerage_web.lti.contexts import choose_columns, disconnect
from peerage_web.lti.models import LtiContext, LtiScore
from peerage_web.shared.errors import Busy, Refused
from peerage_web.shared.views.errors import mark_refusal

SHOWN = 500  # lines of each list


def _page(
    request: HttpRequest, here: RequestScope, template: str, status: int = 200, **context: Any
) -> HttpResponse:
    return page(request, here, f"lti/{template}", status, **context)


@allowed(Action.SEE_PLATFORM)
def overview(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """What is connected, and how grades stand."""
    states, columns = LtiScore.State, outbox.columns_of(here.course)
    return _page(
        request,
        here,
        "course",
        contexts=_contexts(here),
        columns=columns,
        weights=outbox.weights_to_set(columns),
        unseen=any(column["unseen"] for column in columns),
        missing=any(column["item"].problem for column in columns),
        held=outbox.scores_of(here.course, states.HELD)[:SHOWN],
        refused=outbox.scores_of(here.course, states.REFUSED)[:SHOWN],
        unknown=outbox.unknown_to_platform(here.course),
    )


@allowed(Action.IMPORT_ROSTER, "POST")
def roster(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Fetch the platform's list and show what would change; with its fingerprint, do it."""
    context = _context(request, here)
    if context is None:
        messages.error(request, _("This course is not connected to a learning platform."))
        return redirect("lti-course", here.course.key)
    expected = request.POST.get("fingerprint", "")
    refused = ""
    if expected:
        try:
            changes, dropped = rosters.commit_roster(
                context=context,
                by=here.person,
                drop_missing="drop" in request.POST,
                move_places="move" in request.POST,
                expected=expected,
            )
        except Busy as error:
            return mark_refusal(_page(request, here, "roster", refused=str(error)), error)
        except Refused as error:
            refused = str(error)
        else:
            text = _("Roster imported: %(added)d added, %(updated)d changed, %(dropped)d dropped.") % {
                "added": len(changes.add) + len(changes.take_back),
                "updated": len(changes.update),
                "dropped": dropped,
            }
            messages.success(request, text)
            return redirect("people", here.course.key)
    return _preview(request, here, context, refused)


def _preview(request: HttpRequest, here: RequestScope, context: LtiContext, refused: str) -> HttpResponse:
    try:
        fetched, changes = rosters.preview_roster(context=context, by=here.person)
    except Refused as error:
        page = _page(request, here, "roster", refused=refused or str(error))
        return mark_refusal(page, error)
    return _page(
        request,
        here,
        "roster",
        422 if refused else 200,
        platform=context,
        fetched=fetched,
        changes=changes,
        fingerprint=rosters.fingerprint(changes),
        refused=refused,
        moved=[change for change in changes.update if "account" in change.fields],
        most=SHOWN,
    )


def _contexts(here: RequestScope) -> QuerySet[LtiContext]:
    contexts = LtiContext.objects.filter(course=here.course)
    return contexts.select_related("course", "deployment__registration")


def _context(request: HttpRequest, here: RequestScope) -> LtiContext | None:
    mine = _contexts(here)
    number = request.POST.get("context", "")
    if number.isascii() and number.isdecimal() and len(number) < 18:
        mine = mine.filter(pk=int(number))
    return mine.first()


@allowed(Action.SETTLE_PLATFORM_GRADES, "POST")
def decide(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Whose grade holds, where one was changed on the platform; one more try; or columns that are gone."""
    chosen = _numbers(request, "score")
    text = _("Grade conflicts resolved: %(count)d")
    if request.POST.get("do") == "columns":
        text = _("Columns that Peerage will look for: %(count)d. It sends all their grades again.")
        columns = _numbers(request, "column")
        count = outbox.find_columns_again(course=here.course, by=here.person, columns=columns)
    elif request.POST.get("do") == "again":
        text = _("Grades that will be sent again: %(count)d")
        count = sum(outbox.try_again(score=score, course=here.course) for score in chosen)
    else:
        ours = request.POST.get("do") == "ours"
        count = outbox.settle(course=here.course, by=here.person, ours=ours, scores=chosen) if chosen else 0
    messages.success(request, text % {"count": count})
    return redirect("lti-course", here.course.key)


def _numbers(request: HttpRequest, name: str) -> list[int]:
    texts = request.POST.getlist(name)
    return [int(text) for text in texts if text.isascii() and text.isdecimal() and len(text) < 18]


@allowed(Action.EDIT_COURSE, "POST")
def columns(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """One column for each assignment, or two."""
    context, wanted = _context(request, here), request.POST.get("columns", "")
    if context is not None and wanted in ("one", "two"):
        choose_columns(context=context, by=here.person, two=wanted == "two")
        messages.success(request, _("Saved. Grades that were already sent follow."))
    return redirect("lti-course", here.course.key)


@allowed(Action.EDIT_COURSE, "POST")
def take_away(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Take the connection away: nobody comes in through the platform any more, and nothing is sent."""
    context = _context(request, here)
    if context is not None and "sure" in request.POST:
        disconnect(context=context, by=here.person)
        messages.success(request, _("The course was disconnected."))
    return redirect("lti-course", here.course.key)

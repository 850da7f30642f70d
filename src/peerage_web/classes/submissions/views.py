"""One's own submission: uploading, previewing, submitting. Staff do it on behalf of students, too."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from peerage_web.classes import texts
from peerage_web.classes.access import allowed, page
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.permissions import Action
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.submissions import copies, file_views, queries, services
from peerage_web.classes.submissions.models import Submission
from peerage_web.classes.submissions.names import found_in_submission
from peerage_web.classes.submissions.queries import Authors
from peerage_web.classes.submissions.shown import (
    addresses_of_makers,
    addresses_of_staff,
    current_submission,
    shown_of_submission,
)
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import mark_refusal

# -- a student's own --------------------------------------------------------------------------------


@allowed(Action.SEE_OWN_WORK)
def work(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """The draft as reviewers would see it, and what was handed in."""
    return _page(request, here, _own(here))


@allowed(Action.HAND_IN, "POST")
def upload(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """More files for the draft."""
    return _upload(request, here, _own(here))


@allowed(Action.HAND_IN, "POST")
def change(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Take a file of the draft away, or let its copy be made once more."""
    return _change(request, here, _own(here))


@allowed(Action.HAND_IN, "POST")
def hand_in(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Hand the draft in."""
    return _hand_in(request, here, _own(here))


@allowed(Action.SEE_OWN_WORK)
def receipt(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """What was handed in, when, and its hash."""
    one = _submission(request, _own(here))
    if one is None or one.handed_in_at is None:
        return _back(here, _own(here))
    return page(request, here, "submissions/receipt", submission=one, files=one.files.all())


@allowed(Action.SEE_OWN_WORK)
def picture(request: HttpRequest, here: RequestScope) -> HttpResponseBase:
    """A page of one's own work, as reviewers see it."""
    one = _submission(request, _own(here))
    return file_views.picture(request, one) if one is not None else _back(here, _own(here))


@allowed(Action.SEE_OWN_WORK)
def download(request: HttpRequest, here: RequestScope) -> HttpResponseBase:
    """The copy of a file of one's own work."""
    one = _submission(request, _own(here))
    return file_views.download(request, one) if one is not None else _back(here, _own(here))


def _own(here: RequestScope) -> Authors:
    return queries.authors_with(here.assignment, here.member)


def own_work(here: RequestScope) -> dict[str, Any] | None:
    """What the page of an assignment says of the reader's own work; None before there can be one."""
    if not here.may(Action.SEE_OWN_WORK):
        return None
    makers = _own(here)
    found = queries.work_of(makers)
    judged = services.judge(makers=makers, for_staff=False)
    return {
        "makers": makers,
        "current": current_submission(found) if found is not None else None,
        "draft": queries.draft_of(found),
        "verdict": judged,
        "reason": texts.HAND_IN[judged.reason] if judged.reason else "",
    }


# -- staff in a student's place -----------------------------------------------------------------------


@allowed(Action.HAND_IN_FOR)
def work_for(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """A student's work, for staff who hand it in."""
    return _page(request, here, _of_student(here))


@allowed(Action.HAND_IN_FOR, "POST")
def upload_for(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """More files for a student's draft."""
    return _upload(request, here, _of_student(here))


@allowed(Action.HAND_IN_FOR, "POST")
def change_for(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Take a file of a student's draft away, or let its copy be made once more."""
    return _change(request, here, _of_student(here))


@allowed(Action.HAND_IN_FOR, "POST")
def hand_in_for(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Hand a student's draft in; the record has it."""
    return _hand_in(request, here, _of_student(here))


def _of_student(here: RequestScope) -> Authors:
    member: Membership = here.objects["member"]
    if member.role != Role.STUDENT:
        raise Http404
    return queries.authors_with(here.assignment, member)


# -- both ---------------------------------------------------------------------------------------------


def _page(
    request: HttpRequest, here: RequestScope, makers: Authors, refused: Refused | None = None
) -> HttpResponse:
    found = queries.work_of(makers)
    draft, current = queries.draft_of(found), current_submission(found) if found is not None else None
    judged = services.judge(makers=makers, for_staff=_is_staff(here))
    context: dict[str, Any] = {
        "makers": makers,
        "member": here.objects.get("member"),
        "work": found,
        "window": queries.window_of(makers),
        "verdict": judged,
        "reason": texts.HAND_IN[judged.reason] if judged.reason else "",
        "kinds": [Assignment.Kind(kind).label for kind in makers.assignment.file_kinds],
        "endings": _endings(makers.assignment),
        "draft": draft,
        "current": current,
        "addresses": _addresses(here, makers),
        "refused": str(refused) if refused is not None else "",
    }
    if draft is not None:
        context |= _seen(here, draft, makers)
    if current is not None:
        context["shown_now"] = shown_of_submission(current, _whose(here, current))
    answer = page(request, here, "submissions/submission", **context)
    return mark_refusal(answer, refused) if refused is not None else answer


def _seen(here: RequestScope, draft: Submission, makers: Authors) -> dict[str, Any]:
    """The draft as reviewers would see it, and the names in it."""
    files = list(draft.files.all())
    seen = shown_of_submission(draft, _whose(here, draft))
    mentions = found_in_submission(draft, makers)
    return {
        "files": list(zip(files, seen, strict=True)),
        "shown": seen,
        "is_waiting": any(one.is_waiting for one in seen),
        "is_ready": bool(seen) and all(one.is_ready for one in seen),
        "visible_names": list(dict.fromkeys(one.found for one in mentions if not one.hidden)),
        "hidden_names": list(dict.fromkeys(one.found for one in mentions if one.hidden)),
    }


def _is_staff(here: RequestScope) -> bool:
    return here.role != Role.STUDENT


def _whose(here: RequestScope, submission: Submission) -> Any:
    return addresses_of_staff(submission) if _is_staff(here) else addresses_of_makers(submission)


def _addresses(here: RequestScope, makers: Authors) -> dict[str, str]:
    """Where the forms of the page go."""
    place: list[Any] = [here.course.key, here.assignment.key]
    suffix = ""
    if _is_staff(here):
        place, suffix = [*place, here.objects["member"].pk], "-for"
    names = {"page": "work", "upload": "work-upload", "change": "work-change", "hand_in": "work-hand-in"}
    return {what: reverse(name + suffix, args=place) for what, name in names.items()}


def _endings(assignment: Assignment) -> str:
    """What a browser offers in its list of files."""
    known = {"pdf": ".pdf", "image": ".png,.jpg,.jpeg", "text": ".txt", "markdown": ".md,.markdown"}
    return ",".join(known[kind] for kind in assignment.file_kinds if kind in known)


def _back(here: RequestScope, makers: Authors) -> HttpResponse:
    return redirect(_addresses(here, makers)["page"])


def _upload(request: HttpRequest, here: RequestScope, makers: Authors) -> HttpResponse:
    try:
        draft = services.add_files(
            makers=makers, by=here.person, uploads=request.FILES.getlist("files"), for_staff=_is_staff(here)
        )
    except Refused as error:
        return _page(request, here, makers, error)
    copies.make_soon(files=draft.files.filter(state="waiting"), visitor=f"person {here.person.pk}")
    return _back(here, makers)


def _change(request: HttpRequest, here: RequestScope, makers: Authors) -> HttpResponse:
    position = file_views.number_in(request.POST.get("file", "0"))
    if "again" in request.POST:
        file = services.try_again(makers=makers, position=position)
        if file is not None:
            copies.make_soon(files=[file], visitor=f"person {here.person.pk}")
    else:
        services.remove_file(makers=makers, position=position)
    return _back(here, makers)


def _hand_in(request: HttpRequest, here: RequestScope, makers: Authors) -> HttpResponse:
    number = file_views.number_in(request.POST.get("number", "0"))
    try:
        done = services.hand_in(makers=makers, by=here.person, number=number, for_staff=_is_staff(here))
    except Refused as error:
        return _page(request, here, makers, error)
    messages.success(request, _("Submitted. Keep the receipt."))
    if _is_staff(here):
        return redirect("works-one", here.course.key, here.assignment.key, done.work_id)
    where = redirect("work-receipt", here.course.key, here.assignment.key)
    where["Location"] += f"?submission={done.number}"
    return where


def _submission(request: HttpRequest, makers: Authors) -> Submission | None:
    """The one asked for; None where there is none, and the page says what can be done."""
    found = queries.work_of(makers)
    number = file_views.asked(request, "submission")
    return found.submissions.filter(number=number).first() if found is not None else None

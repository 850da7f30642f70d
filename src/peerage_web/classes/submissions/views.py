"""One's own submission: uploading, previewing, submitting. Staff do it on behalf of students, too."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.classes import texts
from peerage_web.classes.access import allowed, page
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.permissions import Action
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.submissions import copies, file_views, queries, services
from peerage_web.classes.submissions.models import SubmissionVersion
from peerage_web.classes.submissions.names import found_in_version
from peerage_web.classes.submissions.queries import Authors, DeadlineVerdict
from peerage_web.classes.submissions.shown import (
    addresses_of_authors,
    addresses_of_staff,
    current_version,
    shown_of_version,
)
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import mark_refusal

# -- a student's own --------------------------------------------------------------------------------


@allowed(Action.SEE_OWN_SUBMISSION)
def submission(request: HttpRequest, here: RequestScope) -> HttpResponse:
    return _page(request, here, _own(here))


@allowed(Action.SUBMIT, "POST")
def upload(request: HttpRequest, here: RequestScope) -> HttpResponse:
    return _upload(request, here, _own(here))


@allowed(Action.SUBMIT, "POST")
def change(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Take a file of the draft away, or let its copy be made once more."""
    return _change(request, here, _own(here))


@allowed(Action.SUBMIT, "POST")
def submit(request: HttpRequest, here: RequestScope) -> HttpResponse:
    return _submit(request, here, _own(here))


@allowed(Action.SEE_OWN_SUBMISSION)
def receipt(request: HttpRequest, here: RequestScope) -> HttpResponse:
    version = _version(request, _own(here))
    if version is None or version.submitted_at is None:
        return _back(here, _own(here))
    return page(request, here, "submissions/receipt", version=version, files=version.files.all())


@allowed(Action.SEE_OWN_SUBMISSION)
def picture(request: HttpRequest, here: RequestScope) -> HttpResponseBase:
    version = _version(request, _own(here))
    return file_views.picture(request, version) if version is not None else _back(here, _own(here))


@allowed(Action.SEE_OWN_SUBMISSION)
def download(request: HttpRequest, here: RequestScope) -> HttpResponseBase:
    version = _version(request, _own(here))
    if version is None:
        return _back(here, _own(here))
    return file_views.download(request, version, "my-submission")


def _own(here: RequestScope) -> Authors:
    return queries.authors_with(here.assignment, here.member)


def own_submission(here: RequestScope) -> dict[str, Any] | None:
    """What the page of an assignment says of the reader's own submission; None before there can be one."""
    if not here.may(Action.SEE_OWN_SUBMISSION):
        return None
    authors = _own(here)
    current, draft = queries.current_and_draft(authors)
    submission = next((version.submission for version in (current, draft) if version is not None), None)
    deadline = DeadlineVerdict(False, reason="closed")  # in a phase in which nobody submits
    if here.may(Action.SUBMIT):
        deadline = services.check_deadline(authors=authors, for_staff=False)
    return {
        "authors": authors,
        "current": current,
        "draft": draft,
        "reopened": queries.is_reopened(submission, timezone.now()),
        "submission": submission,
        "verdict": deadline,
        "reason": texts.SUBMIT[deadline.reason] if deadline.reason else "",
    }


# -- staff in a student's place -----------------------------------------------------------------------


@allowed(Action.SUBMIT_FOR_STUDENT)
def submission_for(request: HttpRequest, here: RequestScope) -> HttpResponse:
    return _page(request, here, _of_student(here))


@allowed(Action.SUBMIT_FOR_STUDENT, "POST")
def upload_for(request: HttpRequest, here: RequestScope) -> HttpResponse:
    return _upload(request, here, _of_student(here))


@allowed(Action.SUBMIT_FOR_STUDENT, "POST")
def change_for(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Take a file of a student's draft away, or let its copy be made once more."""
    return _change(request, here, _of_student(here))


@allowed(Action.SUBMIT_FOR_STUDENT, "POST")
def submit_for(request: HttpRequest, here: RequestScope) -> HttpResponse:
    return _submit(request, here, _of_student(here))


def _of_student(here: RequestScope) -> Authors:
    member: Membership = here.objects["member"]
    if member.role != Role.STUDENT:
        raise Http404
    return queries.authors_with(here.assignment, member)


# -- both ---------------------------------------------------------------------------------------------


def _page(
    request: HttpRequest,
    here: RequestScope,
    authors: Authors,
    refused: Refused | None = None,
    typed: str | None = None,
) -> HttpResponse:
    """`typed` is a text that could not be saved: it comes back."""
    submission = queries.submission_of(authors)
    draft, current = (
        queries.draft_of(submission),
        current_version(submission) if submission is not None else None,
    )
    deadline = services.check_deadline(authors=authors, for_staff=_is_staff(here))
    context: dict[str, Any] = {
        "authors": authors,
        "member": here.objects.get("member"),
        "submission": submission,
        "window": queries.window_of(authors, submission),
        "reopened": queries.is_reopened(submission, timezone.now()),
        "under_review": queries.is_under_review(submission),
        "verdict": deadline,
        "reason": texts.SUBMIT[deadline.reason] if deadline.reason else "",
        "kinds": [Assignment.Kind(kind).label for kind in authors.assignment.file_kinds],
        "endings": _endings(authors.assignment),
        "draft": draft,
        "current": current,
        "addresses": _addresses(here, authors),
        "can_type": services.can_type(authors.assignment),
        "typed": services.typed_text(draft or current) if typed is None else typed,
        "unsaved": typed,
        "refused": str(refused) if refused is not None else "",
    }
    if draft is not None:
        context |= _seen(here, draft, authors)
    if current is not None:
        context["shown_now"] = shown_of_version(current, _whose(here, current))
    answer = page(request, here, "submissions/submission", **context)
    return mark_refusal(answer, refused) if refused is not None else answer


def _seen(here: RequestScope, draft: SubmissionVersion, authors: Authors) -> dict[str, Any]:
    """The draft as reviewers would see it, and the names in it."""
    files = list(draft.files.all())
    seen = shown_of_version(draft, _whose(here, draft))
    mentions = found_in_version(draft, authors)
    return {
        "files": list(zip(files, seen, strict=True)),
        "shown": seen,
        "is_waiting": any(shown_file.is_waiting for shown_file in seen),
        "is_ready": bool(seen) and all(shown_file.is_ready for shown_file in seen),
        "blank": bool(seen) and all(shown_file.is_blank for shown_file in seen),
        "blank_pages": sum(shown_file.blank_pages for shown_file in seen),
        "visible_names": list(dict.fromkeys(mention.found for mention in mentions if not mention.hidden)),
        "hidden_names": list(dict.fromkeys(mention.found for mention in mentions if mention.hidden)),
    }


def _is_staff(here: RequestScope) -> bool:
    return here.role != Role.STUDENT


def _whose(here: RequestScope, version: SubmissionVersion) -> Any:
    return addresses_of_staff(version) if _is_staff(here) else addresses_of_authors(version)


def _addresses(here: RequestScope, authors: Authors) -> dict[str, str]:
    place: list[Any] = [here.course.key, here.assignment.key]
    suffix = ""
    if _is_staff(here):
        place, suffix = [*place, here.objects["member"].pk], "-for"
    names = {
        "page": "submission",
        "upload": "submission-upload",
        "change": "submission-change",
        "submit": "submission-submit",
    }
    return {what: reverse(name + suffix, args=place) for what, name in names.items()}


def _endings(assignment: Assignment) -> str:
    """What a browser offers in its list of files."""
    endings = {
        "pdf": ".pdf",
        "image": ".png,.jpg,.jpeg",
        "text": ".txt",
        "markdown": ".md,.markdown",
        "word": ".docx",
    }
    return ",".join(endings[kind] for kind in assignment.file_kinds if kind in endings)


def _back(here: RequestScope, authors: Authors) -> HttpResponse:
    return redirect(_addresses(here, authors)["page"])


def _upload(request: HttpRequest, here: RequestScope, authors: Authors) -> HttpResponse:
    typed = request.POST.get("typed")
    said: dict[str, Any] = {"authors": authors, "by": here.person, "for_staff": _is_staff(here)}
    try:
        if typed is not None:
            draft = services.save_typed(text=typed, **said)
        else:
            draft = services.add_files(uploads=request.FILES.getlist("files"), **said)
    except Refused as error:
        return _page(request, here, authors, error, typed)
    copies.make_soon(files=draft.files.filter(state="waiting"), visitor=f"person {here.person.pk}")
    return _back(here, authors)


def _change(request: HttpRequest, here: RequestScope, authors: Authors) -> HttpResponse:
    position = file_views.number_in(request.POST.get("file", "0"))
    if "again" in request.POST:
        file = services.try_again(authors=authors, position=position)
        if file is not None:
            copies.make_soon(files=[file], visitor=f"person {here.person.pk}")
    else:
        services.remove_file(authors=authors, position=position)
    return _back(here, authors)


def _submit(request: HttpRequest, here: RequestScope, authors: Authors) -> HttpResponse:
    number = file_views.number_in(request.POST.get("number", "0"))
    try:
        done = services.submit(authors=authors, by=here.person, number=number, for_staff=_is_staff(here))
    except Refused as error:
        return _page(request, here, authors, error)
    messages.success(request, _("Submitted. Keep the receipt."))
    if _is_staff(here):
        return redirect("submissions-one", here.course.key, here.assignment.key, done.submission_id)
    where = redirect("submission-receipt", here.course.key, here.assignment.key)
    where["Location"] += f"?version={done.number}"
    return where


def _version(request: HttpRequest, authors: Authors) -> SubmissionVersion | None:
    """The one asked for; None where there is none, and the page says what can be done."""
    submission = queries.submission_of(authors)
    number = file_views.asked(request, "version")
    return submission.versions.filter(number=number).first() if submission is not None else None

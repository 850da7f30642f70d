"""Submitting: files are uploaded into a draft, seen as reviewers will see them, then submitted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import Max
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from peerage_web.accounts.models import Person
from peerage_web.accounts.services.mail import queue_mail
from peerage_web.classes import texts
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase
from peerage_web.classes.permissions import Action, when
from peerage_web.classes.reassignment.reports import include_submission
from peerage_web.classes.reassignment.services import join_late
from peerage_web.classes.submissions.models import Submission, SubmissionFile, SubmissionVersion
from peerage_web.classes.submissions.names import found_in_version
from peerage_web.classes.submissions.queries import (
    Authors,
    DeadlineVerdict,
    authors_of,
    draft_of,
    is_under_review,
    submission_of,
    verdict,
    verdict_for_staff,
)
from peerage_web.classes.submissions.storage import delete_folders, refuse_without_room, sha256_of, store
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused
from peerage_web.shared.services.rate_limits import refuse_too_many_uploads

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile


State = SubmissionFile.State


def check_deadline(*, authors: Authors, for_staff: bool) -> DeadlineVerdict:
    """Whether something can be submitted right now."""
    decide = verdict_for_staff if for_staff else verdict
    return decide(authors, submission_of(authors), timezone.now())


def add_files(
    *, authors: Authors, by: Person, uploads: Sequence[UploadedFile[bytes]], for_staff: bool = False
) -> SubmissionVersion:
    """Put files into the draft, which is made with the first; Refused where one of them cannot be taken."""
    if not uploads:
        raise Refused(_("Choose a file first."))
    refuse_too_many_uploads(visitor=f"person {by.pk}")
    stored: list[SubmissionFile] = []
    try:
        for upload in uploads:
            stored.append(store(authors.assignment, upload))  # noqa: PERF401 - those before it are deleted
        return _add(authors, by, stored, for_staff)
    except BaseException:
        delete_folders(stored)  # all or none
        raise


TYPED = "text.md"  # what a text written in the browser is called


def save_typed(*, authors: Authors, by: Person, text: str, for_staff: bool = False) -> SubmissionVersion:
    """Put a text into the draft as a Markdown file, in place of the one that was typed before."""
    if not can_type(authors.assignment):
        raise Refused(_("This assignment takes files only."))
    if not text.strip():
        raise Refused(_("Write your text first."))
    before = typed_file(draft_of(submission_of(authors)))
    upload = SimpleUploadedFile(TYPED, text.encode())
    refuse_too_many_uploads(visitor=f"person {by.pk}")
    stored = [store(authors.assignment, upload)]
    try:
        draft = _add(authors, by, stored, for_staff, instead_of=before)
    except BaseException:
        delete_folders(stored)
        raise
    return draft


def can_type(assignment: Assignment) -> bool:
    """Whether a text may be written in the browser: it is submitted as Markdown, or else as plain text."""
    return bool({"markdown", "text"} & set(assignment.file_kinds))


def typed_file(version: SubmissionVersion | None) -> SubmissionFile | None:
    """The text that was written in the browser."""
    if version is None:
        return None
    return version.files.filter(name=TYPED, kind__in=["markdown", "text"]).first()


def typed_text(version: SubmissionVersion | None) -> str:
    """What was written so far."""
    file = typed_file(version)
    try:
        return file.original.read_text(encoding="utf-8", errors="replace") if file is not None else ""
    except OSError:
        return ""


def _add(
    authors: Authors,
    by: Person,
    stored: Sequence[SubmissionFile],
    for_staff: bool,
    instead_of: SubmissionFile | None = None,
) -> SubmissionVersion:
    """The rows of files that are on the disk; nothing slow is done while others wait for the lock."""
    with exclusively(_lock(authors)):
        _refuse_closed(authors, for_staff)
        submission, _made = Submission.objects.get_or_create(
            assignment=authors.assignment, **authors.as_fields
        )
        refuse_without_room(submission=submission, size=sum(file.bytes for file in stored))
        draft = draft_of(submission) or _new_draft(submission, by)
        first = _next_position(draft)
        if instead_of is not None and draft.files.filter(pk=instead_of.pk).delete()[0]:
            first = instead_of.position
        _refuse_many(draft, len(stored))
        for position, file in enumerate(stored, start=first):
            file.version, file.position = draft, position
            file.save()
        SubmissionVersion.objects.filter(pk=draft.pk).update(uploaded_by=by, uploaded_at=timezone.now())
    delete_folders([instead_of] if instead_of is not None else [])
    return draft


def _lock(authors: Authors) -> str:
    whose = f"team {authors.team.pk}" if authors.team is not None else f"member {authors.members[0].pk}"
    return f"submission of {whose} in assignment {authors.assignment.pk}"


def _refuse_closed(authors: Authors, for_staff: bool) -> DeadlineVerdict:
    """Looked up anew, under the lock: the phase or the clock may have moved on."""
    authors.assignment.refresh_from_db(fields=["phase", "due_at", "late_until", "grace_minutes"])
    deadline = check_deadline(authors=authors, for_staff=for_staff)
    if not deadline.is_open:
        raise Refused(str(texts.SUBMIT[deadline.reason]))
    return deadline


def _new_draft(submission: Submission, by: Person) -> SubmissionVersion:
    number = (submission.versions.aggregate(last=Max("number"))["last"] or 0) + 1
    return SubmissionVersion.objects.create(submission=submission, number=number, sha256="", uploaded_by=by)


def _next_position(draft: SubmissionVersion) -> int:
    return (draft.files.aggregate(last=Max("position"))["last"] or 0) + 1


def _refuse_many(draft: SubmissionVersion, more: int) -> None:
    most = draft.submission.assignment.most_files
    if draft.files.count() + more > most:
        text = ngettext(
            "This assignment accepts %(most)d file. Remove the current one first.",
            "This assignment accepts up to %(most)d files. Remove one first.",
            most,
        )
        raise Refused(text % {"most": most})


def remove_file(*, authors: Authors, position: int) -> None:
    """Take a file out of the draft; the others move up. A draft without files is none."""
    with exclusively(_lock(authors)):
        draft = draft_of(submission_of(authors))
        files = list(draft.files.all()) if draft is not None else []
        gone = [file for file in files if file.position == position]
        SubmissionFile.objects.filter(pk__in=[file.pk for file in gone]).delete()
        left = [file for file in files if file not in gone]
        for number, file in enumerate(left, start=1):
            SubmissionFile.objects.filter(pk=file.pk).update(position=number)
        if draft is not None and not left:
            draft.delete()
    delete_folders(gone)


def try_again(*, authors: Authors, position: int) -> SubmissionFile | None:
    """Let the copy for reviewers be made once more."""
    for submission in filter(None, [submission_of(authors)]):
        files = SubmissionFile.objects.filter(
            version__submission=submission, position=position, state=State.FAILED
        )
        for file in files.order_by("-version__number")[:1]:
            SubmissionFile.objects.filter(pk=file.pk).update(
                state=State.WAITING, problem="", attempts=0, making_since=None
            )
            file.refresh_from_db()
            return file
    return None


def submit(*, authors: Authors, by: Person, number: int, for_staff: bool = False) -> SubmissionVersion:
    """Submit the draft, with a receipt; Refused where it has changed since it was looked at, or too late.

    `number` is that of the draft whose copy the authors have seen.
    """
    seen = draft_of(submission_of(authors))
    if seen is None or seen.number != number:
        raise Refused(_nothing())
    files = list(seen.files.all())
    _refuse_unready(files)
    digest, names = sha256_of(files), [mention.stored for mention in found_in_version(seen, authors)]
    with exclusively(_lock(authors)):
        deadline = _refuse_closed(authors, for_staff)
        draft = draft_of(submission_of(authors))
        if draft is None or list(draft.files.values_list("pk", flat=True)) != [file.pk for file in files]:
            raise Refused(_nothing())
        draft.sha256, draft.names_found = digest, names
        draft.submitted_at, draft.is_late, draft.uploaded_by = timezone.now(), deadline.is_late, by
        draft.save()
        _record(draft, authors, by, for_staff)
        Submission.objects.filter(pk=draft.submission_id).update(reopened_until=None)
        is_replaced = is_under_review(draft.submission)
        if is_replaced:
            _notify_reviewers(draft)
            if for_staff:
                _notify_authors(draft.submission, authors, "replaced")
    if is_replaced:
        include_submission(submission=draft.submission, by=by)  # what was reported was the earlier version
    if authors.assignment.phase == Phase.REVIEWING:
        join_late(submission=draft.submission)  # where that has to wait, a task worker tries again
    return draft


def _nothing() -> str:
    return _(
        "There is nothing to submit, or the files have changed since you last saw them. Check them again."
    )


def _refuse_unready(files: list[SubmissionFile]) -> None:
    if not files:
        raise Refused(_nothing())
    if any(file.state == State.WAITING for file in files):
        raise Refused(
            _(
                "The copy for reviewers is still being prepared. Wait a moment, then "
                "check it before you submit."
            )
        )
    if any(file.state == State.FAILED for file in files):
        raise Refused(_("One of the files cannot be shown to reviewers. Remove it and upload another one."))


def _record(draft: SubmissionVersion, authors: Authors, by: Person, for_staff: bool) -> None:
    verb = "submission-submitted-for" if for_staff else "submission-submitted"
    subject: Membership = authors.members[0]
    record(verb, by=by, assignment=authors.assignment, subject=subject, count=draft.number)


# -- Replacing what is under review: a blank or wrong file can be repaired ---------------------------------
#
# Nothing that reviewers did is touched: their rankings and comments stay, and pages say which of them were
# about an earlier version.


def reopen_submission(*, submission: Submission, until: datetime, by: Person, why: str = "") -> None:
    """Let the authors replace it until then; they are notified. Refused where that is no time to do it."""
    assignment = submission.assignment
    with exclusively(_lock(authors_of(submission))):
        assignment.refresh_from_db()
        if Phase(assignment.phase) not in when(Action.SUBMIT_FOR_STUDENT):
            raise Refused(_("The review phase is over, so the submission can no longer be replaced."))
        if until <= timezone.now():
            raise Refused(_("Choose a time in the future."))
        closes_at = assignment.closes_at
        if closes_at is not None and until > closes_at:
            raise Refused(_("Choose a time before the reviews are due."))
        submission.reopened_until = until
        submission.save(update_fields=["reopened_until"])
        authors = authors_of(submission)
        record(
            "submission-reopened",
            by=by,
            assignment=assignment,
            subject=authors.members[0],
            after=until,
            reason=why.strip()[:300],
        )
        _notify_authors(submission, authors, "reopened", until=until, why=why.strip()[:300])


def _notify_authors(submission: Submission, authors: Authors, what: str, **more: object) -> None:
    assignment, course = submission.assignment, submission.assignment.course
    path = reverse("submission", args=[course.key, assignment.key])
    for member in authors.members:
        with timezone.override(course.zone):
            queue_mail(
                person=member.person,
                kind="own_submission",
                context={"what": what, "assignment": assignment, "course": course, "path": path, **more},
                language=course.language,
                about=f"course {course.pk}",
            )


def _notify_reviewers(version: SubmissionVersion) -> None:
    """Everybody who has it to review, once for each version."""
    submission = version.submission
    assignment, course = submission.assignment, submission.assignment.course
    held = Review.objects.filter(submission=submission, state__in=(Review.State.OPEN, Review.State.EXCLUDED))
    for review in held.select_related("reviewer__person"):
        queue_mail(
            person=review.reviewer.person,
            kind="replaced",
            context={
                "assignment": assignment,
                "course": course,
                "label": review.label,
                "path": reverse("reviews", args=[course.key, assignment.key]),
            },
            language=course.language,
            about=f"course {course.pk}",
            once=f"replaced {version.pk} {review.reviewer_id}",
        )

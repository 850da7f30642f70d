"""Handing in: files are uploaded into a draft, seen as reviewers will see them, then handed in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from peerage_web.accounts.models import Person
from peerage_web.classes import permissions, texts
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase
from peerage_web.classes.permissions import Action
from peerage_web.classes.reassignment.services import join_late
from peerage_web.classes.record.services import record
from peerage_web.classes.submissions.models import Submission, SubmissionFile, Work
from peerage_web.classes.submissions.names import found_in_submission
from peerage_web.classes.submissions.queries import (
    Authors,
    DeadlineVerdict,
    draft_of,
    verdict,
    verdict_for_staff,
    work_of,
)
from peerage_web.classes.submissions.storage import delete_folders, refuse_without_room, sha256_of, store
from peerage_web.shared.database import exclusively
from peerage_web.shared.errors import Refused
from peerage_web.shared.services.rate_limits import refuse_too_many_uploads

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile


State = SubmissionFile.State


def judge(*, makers: Authors, for_staff: bool) -> DeadlineVerdict:
    """Whether something can be handed in right now."""
    found = verdict_for_staff if for_staff else verdict
    return found(makers, work_of(makers), timezone.now())


def add_files(
    *, makers: Authors, by: Person, uploads: Sequence[UploadedFile[bytes]], for_staff: bool = False
) -> Submission:
    """Put files into the draft, which is made with the first; Refused where one of them cannot be taken."""
    if not uploads:
        raise Refused(_("Choose a file first."))
    refuse_too_many_uploads(visitor=f"person {by.pk}")
    stored: list[SubmissionFile] = []
    try:
        for upload in uploads:
            stored.append(store(makers.assignment, upload))  # noqa: PERF401 - those before it are deleted
        return _add(makers, by, stored, for_staff)
    except BaseException:
        delete_folders(stored)  # all or none
        raise


def _add(makers: Authors, by: Person, stored: Sequence[SubmissionFile], for_staff: bool) -> Submission:
    """The rows of files that are on the disk; nothing slow is done while others wait for the lock."""
    with exclusively(_lock(makers)):
        _refuse_closed(makers, for_staff)
        work, _made = Work.objects.get_or_create(assignment=makers.assignment, **makers.as_fields)
        refuse_without_room(work=work, size=sum(one.bytes for one in stored))
        draft = draft_of(work) or _new_draft(work, by)
        _refuse_many(draft, len(stored))
        for position, file in enumerate(stored, start=_next_position(draft)):
            file.submission, file.position = draft, position
            file.save()
        Submission.objects.filter(pk=draft.pk).update(uploaded_by=by, uploaded_at=timezone.now())
    return draft


def _lock(makers: Authors) -> str:
    whose = f"team {makers.team.pk}" if makers.team is not None else f"member {makers.members[0].pk}"
    return f"work of {whose} in assignment {makers.assignment.pk}"


def _refuse_closed(makers: Authors, for_staff: bool) -> DeadlineVerdict:
    """Looked up anew, under the lock: the phase or the clock may have moved on."""
    makers.assignment.refresh_from_db(fields=["phase", "due_at", "late_until", "grace_minutes"])
    found = judge(makers=makers, for_staff=for_staff)
    if Phase(makers.assignment.phase) not in permissions.when(Action.HAND_IN):
        raise Refused(str(texts.HAND_IN["over"]))
    if not found.is_open:
        raise Refused(str(texts.HAND_IN[found.reason]))
    return found


def _new_draft(work: Work, by: Person) -> Submission:
    number = (work.submissions.aggregate(last=Max("number"))["last"] or 0) + 1
    return Submission.objects.create(work=work, number=number, sha256="", uploaded_by=by)


def _next_position(draft: Submission) -> int:
    return (draft.files.aggregate(last=Max("position"))["last"] or 0) + 1


def _refuse_many(draft: Submission, more: int) -> None:
    most = draft.work.assignment.most_files
    if draft.files.count() + more > most:
        text = ngettext(
            "This assignment accepts %(most)d file. Remove the current one first.",
            "This assignment accepts up to %(most)d files. Remove one first.",
            most,
        )
        raise Refused(text % {"most": most})


def remove_file(*, makers: Authors, position: int) -> None:
    """Take a file out of the draft; the others move up. A draft without files is none."""
    with exclusively(_lock(makers)):
        draft = draft_of(work_of(makers))
        files = list(draft.files.all()) if draft is not None else []
        gone = [one for one in files if one.position == position]
        SubmissionFile.objects.filter(pk__in=[one.pk for one in gone]).delete()
        for number, one in enumerate((one for one in files if one not in gone), start=1):
            SubmissionFile.objects.filter(pk=one.pk).update(position=number)
        if draft is not None and len(files) == len(gone):
            draft.delete()
    delete_folders(gone)


def try_again(*, makers: Authors, position: int) -> SubmissionFile | None:
    """Let the copy for reviewers be made once more."""
    for work in filter(None, [work_of(makers)]):
        files = SubmissionFile.objects.filter(submission__work=work, position=position, state=State.FAILED)
        for file in files.order_by("-submission__number")[:1]:
            SubmissionFile.objects.filter(pk=file.pk).update(
                state=State.WAITING, problem="", attempts=0, making_since=None
            )
            file.refresh_from_db()
            return file
    return None


def hand_in(*, makers: Authors, by: Person, number: int, for_staff: bool = False) -> Submission:
    """Hand the draft in, with a receipt; Refused where it has changed since it was looked at, or too late.

    `number` is that of the draft whose copy the makers have seen.
    """
    seen = draft_of(work_of(makers))
    if seen is None or seen.number != number:
        raise Refused(_nothing())
    files = list(seen.files.all())
    _refuse_unready(files)
    digest, names = sha256_of(files), [one.stored for one in found_in_submission(seen, makers)]
    with exclusively(_lock(makers)):
        found = _refuse_closed(makers, for_staff)
        draft = draft_of(work_of(makers))
        if draft is None or list(draft.files.values_list("pk", flat=True)) != [one.pk for one in files]:
            raise Refused(_nothing())
        draft.sha256, draft.names_found = digest, names
        draft.handed_in_at, draft.is_late, draft.uploaded_by = timezone.now(), found.is_late, by
        draft.save()
        _record(draft, makers, by, for_staff)
    if makers.assignment.phase == Phase.REVIEWING:
        join_late(work=draft.work)  # where that has to wait, a task worker tries again
    return draft


def _nothing() -> str:
    return _(
        "There is nothing to submit, or the files have changed since you last saw them. Check them again."
    )


def _refuse_unready(files: list[SubmissionFile]) -> None:
    if not files:
        raise Refused(_nothing())
    if any(one.state == State.WAITING for one in files):
        raise Refused(
            _(
                "The copy for reviewers is still being prepared. Wait a moment, then "
                "check it before you submit."
            )
        )
    if any(one.state == State.FAILED for one in files):
        raise Refused(_("One of the files cannot be shown to reviewers. Remove it and upload another one."))


def _record(draft: Submission, makers: Authors, by: Person, for_staff: bool) -> None:
    verb = "work-handed-in-for" if for_staff else "work-handed-in"
    subject: Membership = makers.members[0]
    record(verb, by=by, assignment=makers.assignment, subject=subject, count=draft.number)

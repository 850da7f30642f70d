"""Works of an example class, handed in as students do: uploaded, copied for reviewers, handed in."""

from __future__ import annotations

import time
from collections.abc import Sequence

from django.core.files.uploadedfile import SimpleUploadedFile

from peerage_web.classes.models import Assignment, Membership, Submission, SubmissionFile, Work
from peerage_web.classes.queries.makers import makers_with
from peerage_web.classes.services.making import make_next
from peerage_web.classes.services.submissions import add_files
from peerage_web.classes.services.submissions import hand_in as hand_in_draft
from peerage_web.demo import documents
from peerage_web.shared.errors import Refused

PATIENCE = 300.0  # seconds for copies that another process is making
KINDS = (
    ("essay.pdf", documents.pdf_of),
    ("essay.txt", documents.text_of),
    ("essay.md", documents.markdown_of),
)


def hand_in(assignment: Assignment, members: Sequence[tuple[int, Membership]]) -> list[Work]:
    """A small work of each of these students (or of their team), by the number of the work."""
    drafts = [(one, _upload(assignment, one, number)) for number, one in members]
    _wait_for_copies([draft for _member, draft in drafts])
    for member, draft in drafts:
        makers = makers_with(assignment, member)
        hand_in_draft(makers=makers, by=member.person, number=draft.number)
    return [draft.work for _member, draft in drafts]


def _upload(assignment: Assignment, member: Membership, number: int) -> Submission:
    name, write = KINDS[number % len(KINDS)]
    file = SimpleUploadedFile(name, write(number))
    makers = makers_with(assignment, member)
    return add_files(makers=makers, by=member.person, uploads=[file])


def _wait_for_copies(drafts: Sequence[Submission]) -> None:
    """Make what waits; a task worker of a running service may help, and is waited for."""
    waiting = SubmissionFile.objects.filter(submission__in=drafts, state=SubmissionFile.State.WAITING)
    deadline = time.monotonic() + PATIENCE
    while waiting.exists():
        if not make_next():
            time.sleep(0.2)
        if time.monotonic() > deadline:
            raise Refused("the works of the example could not be made ready in time; try again")

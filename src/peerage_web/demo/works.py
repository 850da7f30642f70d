"""Works of an example class, handed in as students do."""

from __future__ import annotations

import hashlib

from django.utils import timezone

from peerage_web.classes.models import Assignment, Membership, Submission, SubmissionFile, TeamMember, Work
from peerage_web.demo import documents

KINDS = (
    ("pdf", "essay.pdf", documents.pdf_of),
    ("text", "essay.txt", documents.text_of),
    ("markdown", "essay.md", documents.markdown_of),
)


def hand_in(assignment: Assignment, member: Membership, number: int) -> Work:
    """A small work of this student, or of their team."""
    kind, name, write = KINDS[number % len(KINDS)]
    content = write(number)
    place = TeamMember.objects.filter(assignment=assignment, membership=member).first()
    whose = {"team": place.team} if place is not None else {"author": member}
    work, _made = Work.objects.get_or_create(assignment=assignment, **whose)
    digest = hashlib.sha256(content).hexdigest()
    submission = Submission.objects.create(
        work=work,
        number=work.submissions.count() + 1,
        sha256=digest,
        handed_in_at=timezone.now(),
        uploaded_by=member.person,
    )
    file = SubmissionFile.objects.create(
        submission=submission, position=1, name=name, kind=kind, bytes=len(content), sha256=digest
    )
    file.folder.mkdir(parents=True, mode=0o700)
    (file.folder / "original").write_bytes(content)
    return work

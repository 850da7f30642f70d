"""Submissions of an example class, small texts and PDF pages, submitted as students do."""

import time
from collections.abc import Sequence

from django.core.files.uploadedfile import SimpleUploadedFile

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.submissions.copies import make_next
from peerage_web.classes.submissions.models import Submission, SubmissionFile, SubmissionVersion
from peerage_web.classes.submissions.queries import authors_with
from peerage_web.classes.submissions.services import add_files
from peerage_web.classes.submissions.services import submit as submit_draft
from peerage_web.shared.errors import Refused

OPENINGS = (
    "Why rain smells after a dry week",
    "How a library decides which books to keep",
    "What a bridge does when it is hot",
    "Why we forget names before faces",
    "How bread knows when it is done",
    "What makes a queue feel short",
    "Why maps of the sea have holes",
    "How a choir stays in tune",
)
POINTS = (
    "First, what everybody has seen: it happens more often than we notice.",
    "Two explanations are usually given, and they do not exclude each other.",
    "The first can be tested at home with a glass, a lamp and some patience.",
    "The second rests on measurements that others have repeated many times.",
    "What remains open is how much of the effect each of them explains.",
    "I would test that by changing one thing at a time, and writing it down.",
)


def lines_of(number: int) -> list[str]:
    """A made-up submission: title, a word that it is one, and some sentences in an order of its own."""
    title = f"{OPENINGS[number % len(OPENINGS)]} ({number + 1})"
    count = 3 + number % 4
    points = [POINTS[(number + step) % len(POINTS)] for step in range(count)]
    return [title, "", "A fictitious example.", "", *points]


def text_of(number: int) -> bytes:
    return ("\n".join(lines_of(number)) + "\n").encode()


def markdown_of(number: int) -> bytes:
    title, _blank, *rest = lines_of(number)
    return ("\n".join([f"# {title}", "", *(f"{line}\n" for line in rest if line)]) + "\n").encode()


def pdf_of(number: int) -> bytes:
    """As a PDF of one page: the least that a reader takes."""
    title, *rest = lines_of(number)
    drawn = [f"BT /F1 18 Tf 72 760 Td ({_escaped(title)}) Tj ET"]
    drawn += [
        f"BT /F1 11 Tf 72 {730 - 18 * place} Td ({_escaped(line)}) Tj ET"
        for place, line in enumerate(rest)
        if line
    ]
    content = "\n".join(drawn).encode("latin-1")
    return _assembled(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
            b" /Resources << /Font << /F1 5 0 R >> >> >>",
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        ]
    )


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _assembled(objects: list[bytes]) -> bytes:
    """Objects one after the other, and the table of where each begins."""
    whole, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(whole))
        whole += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    return whole + (
        b"xref\n0 %d\n0000000000 65535 f \n%s" % (count, table)
        + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (count, len(whole))
    )


COPY_SECONDS = 300.0  # seconds for copies that another process is making
KINDS = (
    ("essay.pdf", pdf_of),
    ("essay.txt", text_of),
    ("essay.md", markdown_of),
)


def submit(assignment: Assignment, members: Sequence[tuple[int, Membership]]) -> list[Submission]:
    """A small submission of each of these students (or of their team), by the number of the submission."""
    drafts = [(student, _upload(assignment, student, number)) for number, student in members]
    _wait_for_copies([draft for _member, draft in drafts])
    for member, draft in drafts:
        authors = authors_with(assignment, member)
        submit_draft(authors=authors, by=member.person, number=draft.number)
    return [draft.submission for _member, draft in drafts]


def _upload(assignment: Assignment, member: Membership, number: int) -> SubmissionVersion:
    name, write = KINDS[number % len(KINDS)]
    file = SimpleUploadedFile(name, write(number))
    authors = authors_with(assignment, member)
    return add_files(authors=authors, by=member.person, uploads=[file])


def _wait_for_copies(drafts: Sequence[SubmissionVersion]) -> None:
    """Make what waits; a task worker of a running service may help, and is waited for."""
    waiting = SubmissionFile.objects.filter(version__in=drafts, state=SubmissionFile.State.WAITING)
    deadline = time.monotonic() + COPY_SECONDS
    while waiting.exists():
        if not make_next():
            time.sleep(0.2)
        if time.monotonic() > deadline:
            raise Refused("the submissions of the example could not be made ready in time; try again")

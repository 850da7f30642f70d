"""Downloads are named after their assignment, in plain letters, and name nobody to reviewers."""

from __future__ import annotations

import pytest
from tests.web.classes.cast import allocate, move, submit

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.enums import Phase
from peerage_web.classes.markdown import cleaned, without_links
from peerage_web.classes.names import file_name


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Poster 2: Réseaux & Überblick", "poster-2-reseaux-uberblick-grades.csv"),
        ("../../etc/passwd\r\nX: y", "etcpasswd-x-y-grades.csv"),
        ("论文", "KEY-grades.csv"),
        ("x" * 200, "x" * 60 + "-grades.csv"),
    ],
)
def test_names_are_plain_and_short(title, name):
    assert file_name(Assignment(title=title, key="KEY"), "grades", "csv") == name


def test_reviewers_get_their_label_and_staff_the_number_of_the_submission(cast):
    submission = submit(cast.assignment, cast.students[1])
    (review,) = allocate(cast.assignment, cast.students[0], [submission])
    move(cast.assignment, Phase.REVIEWING)
    base = cast.assignment.get_absolute_url()

    mine = cast.client("student").get(f"{base}reviews/{review.key}/download?file=1")
    theirs = cast.client("assistant").get(f"{base}submissions/{submission.pk}/download?file=1")
    whole = cast.client("assistant").get(f"{base}submissions/download")

    assert mine["Content-Disposition"] == f'attachment; filename="poster-submission-{review.label}.png"'
    assert theirs["Content-Disposition"] == f'attachment; filename="poster-submission-{submission.pk}.png"'
    assert whole["Content-Disposition"] == 'attachment; filename="poster-submissions.zip"'
    for answer in (mine, theirs, whole):
        answer.close()


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ('<p>See <a href="https://me.example/a?b=1&amp;c">my page</a>.</p>',
         "<p>See my page (https://me.example/a?b=1&amp;c).</p>"),
        ('<a href="https://me.example/">https://me.example/</a>', "https://me.example/"),
        ('<a href="mailto:me@example.org"><em>ask</em> me</a>', "<em>ask</em> me (mailto:me@example.org)"),
        ("<a href='https://a.example/\"><b>x</b>'>y</a>", "y (https://a.example/%22&gt;&lt;b&gt;x&lt;/b&gt;)"),
        ("<a href='javascript:alert(1)'>y</a>", "y"),
        ('<a href="https://a.example"><a href="https://b.example">z</a>', " (https://a.example)z (https://b.example)"),
    ],
)  # fmt: skip
def test_links_of_submissions_are_text(raw, shown):
    """Whoever follows one tells its owner that, and from where, the submission is being read."""
    text = without_links(cleaned(raw))

    assert text.replace("&quot;", "%22") == shown
    assert "<a" not in text

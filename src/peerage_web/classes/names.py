"""Names: the order of people and submissions in every list, and what a download is called.

Databases sort by rules of their own (SQLite puts Özil after Zander, and anna after Zoe), so lists of people
are sorted here. It is no locale's own order, for a course has readers of several.
A download is named after its assignment, so that a folder of them can be told apart. Whoever reviews gets the
label of the review, and nobody's name.
"""

import re
import unicodedata
from collections.abc import Iterable

from django.utils.text import slugify

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.submissions.models import Submission

LONGEST = 60  # characters of the title


def file_name(assignment: Assignment, what: str, ending: str) -> str:
    """Plain ASCII, such as `poster-2-submissions.zip`; the key stands for a title without Latin letters."""
    title = slugify(assignment.title)[:LONGEST].strip("-") or assignment.key
    return f"{title}-{what}.{ending}"


def attachment(assignment: Assignment, what: str, ending: str) -> dict[str, str]:
    """The header under which a browser keeps it."""
    return {"Content-Disposition": f'attachment; filename="{file_name(assignment, what, ending)}"'}


_DIGITS = re.compile(r"(\d+)")
# letters with a stroke or a tail of their own, which Unicode does not take apart
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i"})


def without_accents(text: str) -> str:
    """Lower case, and letters without their marks."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in apart if not unicodedata.combining(character))


def name_key(text: str) -> tuple[list[tuple[int, str]], str]:
    """Sorts names and titles: Özil beside Ozil, anna beside Anna, Team 2 before Team 10.

    >>> sorted(["Zoe", "Özil", "anna", "Team 10", "Team 2", "Łuk"], key=name_key)
    ['anna', 'Łuk', 'Özil', 'Team 2', 'Team 10', 'Zoe']
    """
    plain = without_accents(text).translate(_PLAIN)
    # a number is told by its length first, which sorts like its value and takes any number of digits
    parts = [
        (len(part.lstrip("0")) + 1, part.lstrip("0")) if part[:1].isdigit() else (0, part)
        for part in _DIGITS.split(plain)
        if part
    ]
    return parts, text


def by_name(members: Iterable[Membership]) -> list[Membership]:
    """Members by the names that staff read; those of one name stay in the order in which they came."""
    return sorted(members, key=lambda member: (name_key(member.shown_name), member.pk))


def by_author(submissions: Iterable[Submission]) -> list[Submission]:
    """Submissions by the team, or by the name of who made them."""
    return sorted(submissions, key=lambda submission: (name_key(_author(submission)), submission.pk))


def _author(submission: Submission) -> str:
    if submission.team is not None:
        return submission.team.name
    return submission.author.shown_name if submission.author is not None else ""

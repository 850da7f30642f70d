"""What a download is called: after its assignment, so that a folder of them can be told apart.

Whoever reviews gets the label of the review, and nobody's name.
"""

from __future__ import annotations

from django.utils.text import slugify

from peerage_web.classes.assignments.models import Assignment

LONGEST = 60  # characters of the title


def file_name(assignment: Assignment, what: str, ending: str) -> str:
    """Plain ASCII, such as `poster-2-submissions.zip`; the key stands for a title without Latin letters."""
    title = slugify(assignment.title)[:LONGEST].strip("-") or assignment.key
    return f"{title}-{what}.{ending}"


def attachment(assignment: Assignment, what: str, ending: str) -> dict[str, str]:
    """The header under which a browser keeps it."""
    return {"Content-Disposition": f'attachment; filename="{file_name(assignment, what, ending)}"'}

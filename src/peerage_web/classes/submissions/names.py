"""Names, e-mail addresses and numbers of people of the course in a text.

Whole words, whatever their case and accents. Parts of a name count from three letters on. In a comment those
of everybody count; a long work mentions half of all first names, so there only those of its makers do, and
the others by their whole name.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.submissions.models import Submission, SubmissionFile
from peerage_web.classes.submissions.queries import Authors
from peerage_web.sandbox.contract.rendering import COPY_FOLDER, InvalidCopyError, read_review_copy

LEAST_PART = 3  # letters of a part of a name
LEAST_NUMBER = 4  # characters of a student number, with a digit among them
_WORD = re.compile(r"\w+")
# scripts that put no spaces between words
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mention:
    """Somebody of the course in a text; `found` is what stands there, and nothing else of the roster."""

    member: int
    what: str  # name, email or number
    found: str
    position: int = 0  # of the file
    hidden: bool = False  # only its author would see it: it is not in the copy

    @property
    def stored(self) -> dict[str, Any]:
        """As a submission keeps it: whom it was about, not how they are called."""
        return {"member": self.member, "what": self.what, "file": self.position, "hidden": self.hidden}


def names_in(text: str, assignment: Assignment, makers: Iterable[Membership] | None = None) -> list[str]:
    """What stands in a text of the people of a course, each once; empty for a clean one."""
    return list(dict.fromkeys(one.found for one in mentions_in(text, assignment, makers)))


def mentions_in(
    text: str, assignment: Assignment, makers: Iterable[Membership] | None = None
) -> list[Mention]:
    """Who is mentioned. `makers`: those whose single names count; None: everybody's."""
    if not text.strip():
        return []
    return _search(text, _roster(assignment), None if makers is None else {one.pk for one in makers})


def found_in_submission(submission: Submission, makers: Authors) -> list[Mention]:
    """In all files of a submission, in what reviewers see and in what is left out for them."""
    roster, own = _roster(makers.assignment), {one.pk for one in makers.members}
    found = []
    for file in submission.files.all():
        for text, hidden in _texts(file):
            found += [
                Mention(one.member, one.what, one.found, file.position, hidden)
                for one in _search(text, roster, own)
            ]
    return list(dict.fromkeys(found))


def _texts(file: SubmissionFile) -> Iterator[tuple[str, bool]]:
    try:
        made = read_review_copy(file.folder / COPY_FOLDER)
    except InvalidCopyError:
        return
    yield "\n".join([made.text, *(page.text for page in made.pictures)]), False
    yield made.hidden, True


def _roster(assignment: Assignment) -> list[tuple[int, str, str, str]]:
    people = Membership.objects.filter(course=assignment.course_id, person__erased_at=None).order_by("pk")
    return list(people.values_list("pk", "name", "person__email", "student_id"))


# -- searching ----------------------------------------------------------------------------------------


def _search(text: str, roster: Iterable[tuple[int, str, str, str]], own: set[int] | None) -> list[Mention]:
    written = [(found.group(), *found.span()) for found in _WORD.finditer(text)]
    words = [_plain(word) for word, _, _ in written]
    places: dict[str, list[int]] = defaultdict(list)
    for place, word in enumerate(words):
        places[word].append(place)
    unspaced = _plain(text) if _UNSPACED.search(text) else ""
    found: dict[tuple[int, str], Mention] = {}
    for pk, *facts in roster:
        for what, needle in _needles(*facts, parts=own is None or pk in own):
            at = _find(needle, words, places)
            if at is not None:
                shown = text[written[at][1] : written[at + len(needle) - 1][2]]
                found.setdefault((pk, shown), Mention(pk, what, shown))
            elif unspaced and _UNSPACED.search(needle[0]) and "".join(needle) in unspaced:
                found.setdefault((pk, facts[0]), Mention(pk, what, "".join(needle)))
    return list(found.values())


def _needles(name: str, email: str, number: str, *, parts: bool) -> Iterator[tuple[str, Words]]:
    """What to look for, the longest first."""
    whole = _split(name)
    if len(whole) > 1 or (whole and len(whole[0]) >= LEAST_PART) or _UNSPACED.search(name):
        yield "name", whole
        if len(whole) > 1:
            yield "name", (*whole[1:], whole[0])  # the family's name first, or last
            yield "name", (whole[-1], *whole[:-1])
    if email:
        yield "email", _split(email)
    if len(number) >= LEAST_NUMBER and any(one.isdigit() for one in number):
        yield "number", _split(number)
    if parts:
        yield from (("name", (part,)) for part in whole if len(part) >= LEAST_PART)


def _find(needle: Words, words: list[str], places: Mapping[str, list[int]]) -> int | None:
    """Where the words stand one after the other."""
    if not needle:
        return None
    size = len(needle)
    starts = places.get(needle[0], [])
    return next((at for at in starts if tuple(words[at : at + size]) == needle), None)


def _split(text: str) -> Words:
    return tuple(_plain(word) for word in _WORD.findall(text))


def _plain(word: str) -> str:
    """Without accents and case."""
    apart = unicodedata.normalize("NFKD", word.casefold())
    return "".join(one for one in apart if not unicodedata.combining(one))

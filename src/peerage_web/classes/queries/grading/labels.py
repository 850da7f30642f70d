"""What files call people and works: student numbers, else e-mail addresses; teams by their names.

That is what grade books hold, so that a file leads back to its student without a key. Labels differ even
where case is all that differs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from peerage_web.classes.models import Assignment, Membership, TeamMember, Work


@dataclass(slots=True)
class Labels:
    """`people` and `works` by primary key."""

    people: dict[int, str] = field(default_factory=dict)
    works: dict[int, str] = field(default_factory=dict)
    makers: dict[int, list[int]] = field(default_factory=dict)  # of each work, members


def labels_of(assignment: Assignment) -> Labels:
    """Of everybody who ever was in the course, and every work of the assignment; four queries."""
    found = Labels()
    taken: set[str] = set()
    members = Membership.objects.filter(course=assignment.course_id).select_related("person").order_by("pk")
    numbered = sorted(members, key=lambda one: not one.student_id)  # a number is never somebody's second
    for one in numbered:
        found.people[one.pk] = unlike(one.student_id or one.person.email or f"member {one.pk}", taken)
    places: dict[int, list[int]] = {}
    for team, member in (
        TeamMember.objects.filter(assignment=assignment).order_by("pk").values_list("team", "membership")
    ):
        places.setdefault(team, []).append(member)
    for work in Work.objects.filter(assignment=assignment).select_related("team").order_by("pk"):
        if work.team is not None:
            found.works[work.pk] = unlike(work.team.name, taken)
            found.makers[work.pk] = places.get(work.team.pk, [])
        elif work.author_id is not None:
            found.works[work.pk] = found.people[work.author_id]
            found.makers[work.pk] = [work.author_id]
    return found


def unlike(text: str, taken: set[str]) -> str:
    """The text, or the text with a number, such that no other looks like it; `taken` gets it."""
    plain = " ".join(text.split()) or "?"
    label, number = plain, 1
    while label.casefold() in taken:
        number += 1
        label = f"{plain} ({number})"
    taken.add(label.casefold())
    return label


def owners(labels: Labels) -> Iterable[tuple[int, int]]:
    """Pairs of a member and the work that is theirs."""
    return ((member, work) for work, members in labels.makers.items() for member in members)

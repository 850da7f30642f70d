"""Who has works to review and has not handed in a ranking, and whose works went to others."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from peerage_web.classes.models import Assignment, Extension, Membership, Review
from peerage_web.classes.queries.allocation import begun_by, finished_by
from peerage_web.classes.queries.overview import personal_dates
from peerage_web.classes.words import Role


@dataclass(frozen=True, slots=True)
class Unfinished:
    """Somebody with open reviews and no ranking."""

    member: int
    name: str
    reviews: int
    begun: bool
    dropped: bool
    due_at: datetime | None
    last_login: datetime | None

    @property
    def is_absent(self) -> bool:
        """Whether nothing is to be expected: they left, or have not begun."""
        return self.dropped or not self.begun


def unfinished(assignment: Assignment) -> list[Unfinished]:
    """Those who left first, then those who have not begun, then the others; by name."""
    open_ones = Review.objects.filter(assignment=assignment, state=Review.State.OPEN).order_by()
    held = dict(open_ones.values_list("reviewer").annotate(number=Count("pk")))
    done, begun = finished_by(assignment), begun_by(assignment)
    members = Membership.objects.filter(pk__in=held.keys() - done).select_related("person")
    extensions = {one.membership_id: one for one in Extension.objects.filter(assignment=assignment)}
    found = [
        Unfinished(
            one.pk,
            one.shown_name,
            held[one.pk],
            one.pk in begun,
            one.role == Role.DROPPED,
            personal_dates(assignment, extensions.get(one.pk))["reviews_due_at"],
            one.person.last_login,
        )
        for one in members
    ]
    return sorted(found, key=lambda one: (not one.dropped, one.begun, one.name, one.member))


def released(assignment: Assignment) -> list[Membership]:
    """People whose works went to others."""
    theirs = Review.objects.filter(assignment=assignment, state=Review.State.RELEASED).order_by()
    found = Membership.objects.filter(pk__in=theirs.values("reviewer")).select_related("person")
    return list(found.exclude(role=Role.DROPPED).order_by("name", "pk")[:200])

"""Where a request is, whoever sent it: pages, the API and their guards stand on this.

Everything is looked up through what the person may see (`visibility`), and the table (`permissions`) decides.
A guard knows how somebody proves who they are and how it says no; it decides nothing itself.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from django.http import Http404

from peerage_web.accounts.models import ApiToken, Person
from peerage_web.classes import permissions, visibility
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Phase, Role
from peerage_web.classes.permissions import PERMISSIONS, Action
from peerage_web.classes.phases.services import take_due_step

_KEY = re.compile(r"[A-Za-z0-9_-]{1,64}")  # see keys
# what stands in addresses beside the course and the assignment: where it is looked for, and by which field
OBJECTS: dict[str, tuple[Callable[[Membership], Any], str]] = {
    "member": (visibility.people_for, "pk"),
    "team": (visibility.teams_for, "pk"),
    "extension": (visibility.extensions_for, "pk"),
    "submission": (visibility.submissions_for, "pk"),
    "review": (visibility.reviews_for, "key"),
    "roster_import": (visibility.roster_imports_for, "key"),
    "submitted_ranking": (visibility.submitted_rankings_for, "receipt"),
    "example": (visibility.examples_for, "key"),
    "question": (visibility.questions_for, "pk"),
    "criterion": (visibility.criteria_for, "pk"),
    # release
    "comment": (visibility.comments_for, "pk"),
    "announcement": (visibility.announcements_for, "pk"),
    "token": (visibility.tokens_for, "pk"),
    "webhook": (visibility.webhooks_for, "pk"),
    "run": (visibility.runs_for, "key"),
    "appeal": (visibility.appeals_for, "key"),
}
OF_AN_ASSIGNMENT = frozenset(
    {"team", "extension", "submission", "review", "example", "question", "criterion", "run", "appeal"}
)


class Verdict(Enum):
    """What the table says about an action."""

    ALLOWED = "allowed"
    FORBIDDEN = "the role may not"
    READ_ONLY = "the token may only read"
    NOT_NOW = "in another phase"


@dataclass(slots=True)
class RequestScope:
    """Where a request is: who asks, in which course and assignment, and the objects of its address."""

    person: Person
    membership: Membership | None = None
    at: Assignment | None = None
    objects: dict[str, Any] = field(default_factory=dict)
    token: ApiToken | None = None  # of the API: what it does, whoever made it does

    @property
    def member(self) -> Membership:
        assert self.membership is not None  # addresses without a course do not ask
        return self.membership

    @property
    def course(self) -> Course:
        return self.member.course

    @property
    def assignment(self) -> Assignment:
        assert self.at is not None  # addresses without one do not ask
        return self.at

    @property
    def role(self) -> Role | None:
        return Role(self.membership.role) if self.membership is not None else None

    def may(self, action: Action) -> bool:
        """Whether the table lets them, here and now; pages hide what they may not do."""
        return self.decide(action) == Verdict.ALLOWED

    def decide(self, action: Action) -> Verdict:
        """What the table says, and why it says no."""
        if not permissions.may(action, self.role):
            return Verdict.FORBIDDEN
        if self.token is not None and not self.token.may_write and PERMISSIONS[action].changes:
            return Verdict.READ_ONLY
        allowed_now = permissions.may(
            action, self.role, Phase(self.at.phase) if self.at is not None else None
        )
        return Verdict.ALLOWED if allowed_now else Verdict.NOT_NOW

    def enter(self, named: Mapping[str, Any]) -> None:
        """Look up the assignment and the objects of an address; Http404 for what does not exist for them."""
        if "assignment" in named:
            assignments = visibility.assignments_for(self.member).select_related(None)
            self.at = find_one(assignments, key=named["assignment"])
            self.at.course = self.course  # which is known already
            take_due_step(assignment=self.at)
        for name, value in named.items():
            if name in OBJECTS:
                find, by = OBJECTS[name]
                within = {"assignment": self.at} if name in OF_AN_ASSIGNMENT else {}
                self.objects[name] = find_one(find(self.member), **{by: value}, **within)


def find_one(objects: Any, **which: Any) -> Any:
    """The one object; what cannot be a key never reaches the database, which refuses some characters."""
    odd = any(isinstance(value, str) and not _KEY.fullmatch(value) for value in which.values())
    for found in objects.filter(**which).order_by()[:1] if not odd else ():
        return found
    raise Http404

"""Handing in a ranking: what has to be complete, what is kept for good, and its receipt.

A ranking can be handed in as long as the assignment is in the phase of reviewing, also again; the newest
counts. After the reviewer's own date it is marked as late: a late ranking helps its authors more than none,
and whether it costs something is for staff to say. Once reviewing is closed nothing is taken.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.models import Assignment, HandedInRanking, Membership, Ranking
from peerage_web.classes.queries.names import names_in
from peerage_web.classes.queries.rankings import Sheet, content, content_of, sheet_of
from peerage_web.classes.rules import Action, when
from peerage_web.classes.services.ranking import ranking_lock
from peerage_web.classes.services.record import record
from peerage_web.shared.errors import Refused


@dataclass(frozen=True, slots=True)
class Missing:
    """What is not complete, with the works and fields it is about; `sentences.MISSING` has the words."""

    code: str
    labels: tuple[str, ...] = ()


class Incomplete(Refused):
    """It cannot be handed in yet; `missing` says what to do first."""

    def __init__(self, missing: list[Missing]) -> None:
        super().__init__(_("The ranking is not complete yet."))
        self.missing = missing


class NamesFound(Refused):
    """The comments name people of the course; they are handed in once the reviewer says that this is fine."""

    def __init__(self, names: list[str]) -> None:
        super().__init__(_("Your comments seem to name somebody. It is not handed in yet."))
        self.names = names


def missing_of(assignment: Assignment, sheet: Sheet) -> list[Missing]:
    """What to do before this can be handed in."""
    found = []
    if not sheet.items:
        found.append(Missing("nothing-to-rank"))
    if sheet.unranked:
        found.append(Missing("not-ranked", tuple(sheet.unranked)))
    if sheet.ties and not assignment.ties_allowed:
        found.append(Missing("ties", tuple(label for one in sheet.ties for label in one)))
    open_fields = [one.label for one in sheet.items if any(field.is_missing for field in one.fields)]
    if open_fields:
        found.append(Missing("not-answered", tuple(open_fields)))
    return found


def hand_in_ranking(
    *,
    assignment: Assignment,
    reviewer: Membership,
    by: Person,
    action: Action = Action.HAND_IN_RANKING,
    names_are_fine: bool = True,
) -> HandedInRanking:
    """Keep the saved order and comments for good. The same content twice is one receipt.

    `action` is the one under whose rule it is done: staff may judge in a reviewer's place.
    """
    with ranking_lock(assignment, reviewer):
        _refuse_closed(assignment, action)
        sheet = sheet_of(assignment, reviewer)
        missing = missing_of(assignment, sheet)
        if missing:
            raise Incomplete(missing)
        if not names_are_fine and (names := names_in(_all_comments(sheet), assignment)):
            raise NamesFound(names)
        before = sheet.handed_in
        if before is not None and content_of(before) == content(sheet):
            return before
        return _keep(assignment, reviewer, by, sheet)


def _all_comments(sheet: Sheet) -> str:
    return "\n\n".join(field.text for item in sheet.items for field in item.fields)


def _refuse_closed(assignment: Assignment, action: Action) -> None:
    """The phase may have moved on since the request began."""
    if not Assignment.objects.filter(pk=assignment.pk, phase__in=when(action)).exists():
        raise Refused(_("Reviewing is closed. What you saved is kept, and can no longer be handed in."))


def _keep(assignment: Assignment, reviewer: Membership, by: Person, sheet: Sheet) -> HandedInRanking:
    ranking = Ranking.objects.get(assignment=assignment, reviewer=reviewer)
    whole = content(sheet)
    kept = HandedInRanking.objects.create(
        ranking=ranking,
        number=(sheet.handed_in.number if sheet.handed_in is not None else 0) + 1,
        version=ranking.version,
        sha256=fingerprint(whole),
        handed_in_at=timezone.now(),
        handed_in_by=by,
        is_late=sheet.is_late,
        **whole,
    )
    record("ranking-handed-in", by=by, assignment=assignment, subject=reviewer, count=kept.number)
    return kept


def fingerprint(whole: dict[str, Any]) -> str:
    """SHA-256 of the content: keys sorted, no blanks, UTF-8."""
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()

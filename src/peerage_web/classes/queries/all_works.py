"""All works of an assignment: lists for staff, with a bounded number of queries whatever their number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from peerage_web.classes.models import Assignment, Membership, Submission, SubmissionFile, TeamMember, Work
from peerage_web.classes.queries.makers import missing_members

FILTERS = ("late", "out", "drafts")


@dataclass(frozen=True, slots=True)
class Row:
    """A work in the list; `submission` is the one that counts, None as long as there is only a draft."""

    work: Work
    names: list[str]
    submission: Submission | None
    files: list[SubmissionFile]

    @property
    def has_problem(self) -> bool:
        """Whether reviewers would see nothing of one of its files."""
        return any(one.state == SubmissionFile.State.FAILED for one in self.files)


def works_list(assignment: Assignment, wanted: str = "") -> Any:
    """Works in the order of their makers' names."""
    works = _with_newest(assignment).select_related("author__person", "team")
    if wanted == "late":
        late = Submission.objects.filter(handed_in_at__isnull=False, is_late=True)
        works = works.filter(newest__in=late.values("pk"))
    elif wanted == "out":
        works = works.filter(taken_out_at__isnull=False)
    elif wanted == "drafts":
        works = works.filter(newest=None)
    else:
        works = works.filter(newest__isnull=False)
    return works.order_by("team__name", "author__name", "pk")


def _with_newest(assignment: Assignment) -> Any:
    """Works with the number of the submission that counts; no type knows such an extra field."""
    handed = Submission.objects.filter(work=OuterRef("pk"), handed_in_at__isnull=False)
    newest = Subquery(handed.order_by("-number").values("pk")[:1])
    return Work.objects.filter(assignment=assignment).annotate(newest=newest)


def counts(assignment: Assignment) -> dict[str, int]:
    """How many there are of each."""
    works = _with_newest(assignment)
    late = Submission.objects.filter(work__assignment=assignment, is_late=True, handed_in_at__isnull=False)
    return {
        "all": works.filter(newest__isnull=False).count(),
        "late": works.filter(newest__in=late.values("pk")).count(),
        "out": works.filter(taken_out_at__isnull=False).count(),
        "drafts": works.filter(newest=None).count(),
        "missing": missing_people(assignment).count(),
    }


def missing_people(assignment: Assignment) -> QuerySet[Membership]:
    """Students without a work."""
    return (
        Membership.objects.filter(missing_members(assignment)).select_related("person").order_by("name", "pk")
    )


def rows_of(assignment: Assignment, works: Sequence[Any]) -> list[Row]:
    """What a page of the list shows of each."""
    newest = {one.pk: one for one in Submission.objects.filter(pk__in=[work.newest for work in works])}
    files: dict[int, list[SubmissionFile]] = defaultdict(list)
    for file in SubmissionFile.objects.filter(submission__in=newest):
        files[file.submission_id].append(file)
    members = members_of_teams(assignment, [work.team_id for work in works if work.team_id])
    return [
        Row(work, _names(work, members), newest.get(work.newest), files.get(work.newest, []))
        for work in works
    ]


def members_of_teams(assignment: Assignment, teams: Sequence[int]) -> dict[int, list[Membership]]:
    """Team to its members."""
    found: dict[int, list[Membership]] = defaultdict(list)
    places = TeamMember.objects.filter(assignment=assignment, team__in=teams)
    for place in places.select_related("membership__person").order_by("membership__name", "pk"):
        found[place.team_id].append(place.membership)
    return found


def _names(work: Work, members: dict[int, list[Membership]]) -> list[str]:
    if work.author is not None:
        return [work.author.shown_name]
    return [one.shown_name for one in members.get(work.team_id or 0, [])]


def everything(assignment: Assignment) -> list[dict[str, Any]]:
    """Every file that counts, with all that an index says of it."""
    works = list(
        _with_newest(assignment).filter(newest__isnull=False).select_related("author__person", "team")
    )
    members = members_of_teams(assignment, [work.team_id for work in works if work.team_id])
    by_submission = {work.newest: work for work in works}
    files = SubmissionFile.objects.filter(submission__work__assignment=assignment)
    files = files.filter(Q(submission__handed_in_at__isnull=False)).select_related("submission")
    rows = []
    for file in files.order_by(F("submission__work_id"), "position"):
        work = by_submission.get(file.submission_id)
        if work is not None:
            people = [work.author] if work.author is not None else members.get(work.team_id, [])
            rows.append({"work": work, "file": file, "people": people})
    return rows

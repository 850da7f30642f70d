"""Works and handed-in rankings as programs read them: a bounded number of queries, whatever their number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import OuterRef, Subquery

from peerage_web.classes.models import (
    Assignment,
    FeedbackPrompt,
    HandedInRanking,
    Membership,
    Ranking,
    Review,
    Submission,
    Work,
)
from peerage_web.classes.queries.all_works import members_of_teams
from peerage_web.classes.queries.grading.labels import labels_of


def someone(one: Membership) -> dict[str, Any]:
    """How lists name somebody."""
    return {"member": one.pk, "email": one.person.email, "student_id": one.student_id}


def works_part(assignment: Assignment, offset: int, limit: int) -> tuple[int, list[dict[str, Any]]]:
    """How many works there are, and these of them with who made them."""
    handed = Submission.objects.filter(work=OuterRef("pk"), handed_in_at__isnull=False).order_by("-number")
    found: Any = Work.objects.filter(assignment=assignment).annotate(newest=Subquery(handed.values("pk")[:1]))
    part = list(found.select_related("author__person", "team").order_by("pk")[offset : offset + limit])
    newest = {one.pk: one for one in Submission.objects.filter(pk__in=[one.newest for one in part])}
    members = members_of_teams(assignment, [one.team_id for one in part if one.team_id])
    labels = labels_of(assignment).works
    return found.count(), [_work(one, newest.get(one.newest), members, labels) for one in part]


def _work(
    one: Any,
    submission: Submission | None,
    members: dict[int, list[Membership]],
    labels: dict[int, str],
) -> dict[str, Any]:
    makers = [one.author] if one.author is not None else members.get(one.team_id, [])
    return {
        "work": one.pk,
        "label": labels[one.pk],
        "team": one.team.name if one.team is not None else None,
        "makers": [someone(maker) for maker in makers],
        "submission": submission.number if submission is not None else None,
        "handed_in_at": submission.handed_in_at if submission is not None else None,
        "is_late": submission is not None and submission.is_late,
        "taken_out": one.taken_out_at is not None,
    }


def rankings_part(assignment: Assignment, offset: int, limit: int) -> tuple[int, list[dict[str, Any]]]:
    """How many reviewers have handed in, and the newest ranking of these."""
    newest = HandedInRanking.objects.filter(ranking=OuterRef("pk")).order_by("-number")
    rankings: Any = Ranking.objects.filter(assignment=assignment).annotate(
        newest=Subquery(newest.values("pk")[:1])
    )
    done = rankings.filter(newest__isnull=False)
    keys = list(done.order_by("reviewer").values_list("newest", flat=True)[offset : offset + limit])
    found = HandedInRanking.objects.filter(pk__in=keys).select_related("ranking__reviewer__person")
    return done.count(), _rankings(assignment, sorted(found, key=lambda one: one.ranking.reviewer_id))


def one_ranking(assignment: Assignment, handed_in: HandedInRanking) -> dict[str, Any]:
    """The same of one."""
    return _rankings(assignment, [handed_in])[0]


def _rankings(assignment: Assignment, found: Sequence[HandedInRanking]) -> list[dict[str, Any]]:
    reviewers = [one.ranking.reviewer_id for one in found]
    reviews = Review.objects.filter(assignment=assignment, reviewer__in=reviewers)
    works = dict(reviews.values_list("pk", "work"))
    questions = dict(FeedbackPrompt.objects.filter(assignment=assignment).values_list("pk", "text"))
    return [_ranking(one, works, questions) for one in found]


def _ranking(one: HandedInRanking, works: dict[int, int], questions: dict[int, str]) -> dict[str, Any]:
    return {
        "reviewer": someone(one.ranking.reviewer),
        "number": one.number,
        "receipt": one.receipt,
        "sha256": one.sha256,
        "handed_in_at": one.handed_in_at,
        "is_late": one.is_late,
        "order": [[works[review] for review in place if review in works] for place in one.bins],
        "comments": [
            {
                "work": works[said["review"]],
                "prompt": said["prompt"],
                "question": questions.get(said["prompt"], ""),
                "text": said["text"],
            }
            for said in one.comments
            if said["review"] in works
        ],
    }

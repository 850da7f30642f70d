"""The inputs of a run: files as `peerage grade` takes them, made from what was submitted.

- `feedback.csv`: who ranked which submission how, and when it was shown to them; only rankings that were
  submitted, of each the newest. Reviews that ended and submissions that were excluded are left out; staff
  rankings are graders of their own. Where the rubric counts, its points are the score beside the rank.
- `roster.csv`: whose submission is whose.
- `anchors.csv`: what staff think submissions are worth; of several on one submission their mean. The
  library needs three submissions for that, so that with fewer there is no such file; nor is there where
  something else makes the points.
"""

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from django.db.models import Max

from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import STAFF, Role
from peerage_web.classes.grading.models import PointsRule, StaffGrade, StaffRanking
from peerage_web.classes.grading.queries import Labels, labels_of, owners, plan_of, unlike
from peerage_web.classes.reviewing.models import SubmittedRanking
from peerage_web.classes.rubrics.queries import scale_of, scores_of
from peerage_web.classes.submissions.models import Submission

FEEDBACK, ROSTER, ANCHORS = "feedback.csv", "roster.csv", "anchors.csv"
LABELS = "labels.json"  # beside the inputs: what every label stands for, and how many reviews were given
ASKED = (
    Review.State.OPEN,
    Review.State.RELEASED,
)  # a submission that was replaced or excluded is not missed
FeedbackRow = tuple[str, str, int, int | str]  # grader, item, rank, and when it was shown or nothing
Rankings = dict[int, list[list[int]]]  # of a reviewer: places, best first, each a list of reviews
FEWEST_ANCHORS = 3  # submissions, below which staff grades say nothing about a scale
FEWEST_SCORES = 3  # reviews with all levels of the rubric, below which the library has no use for scores


@dataclass(frozen=True, slots=True)
class ExtraGrade:
    """One more staff grade, or another one of the same person, that a run is tried with."""

    submission: int
    by: int
    points: float


@dataclass(slots=True)
class Inputs:
    files: dict[str, bytes] = field(default_factory=dict)
    submissions: dict[str, int] = field(default_factory=dict)
    people: dict[str, int] = field(default_factory=dict)  # members; staff rankings stand for none
    roster: dict[str, int] = field(default_factory=dict)  # members, whether they ranked or not
    reviews: dict[int, tuple[int, int]] = field(default_factory=dict)  # of a member: asked for, given
    lists: int = 0  # of peers
    staff_lists: int = 0
    staff_graded: int = 0  # submissions, also where they are too few to count
    rubric_scale: tuple[float, float] | None = None  # of the scores; None: there are none

    @property
    def sha256(self) -> str:
        return sha256_of(self.files)

    @property
    def size(self) -> int:
        return sum(map(len, self.files.values()))


def sha256_of(files: dict[str, bytes]) -> str:
    whole = hashlib.sha256()
    for name, content in sorted(files.items()):
        whole.update(f"{name}:{len(content)}:".encode())
        whole.update(content)
    return whole.hexdigest()


def inputs_of(assignment: Assignment, extra: Iterable[ExtraGrade] = ()) -> Inputs:
    """The inputs as they are now; a bounded number of queries."""
    labels = labels_of(assignment)
    graded = {
        submission: points
        for submission, points in staff_grades(assignment, extra).items()
        if submission in labels.submissions
    }
    inputs = Inputs(
        submissions={labels.submissions[pk]: pk for pk in labels.submissions}, staff_graded=len(graded)
    )
    rankings = newest_rankings(assignment)
    inputs.reviews = _counted(assignment, rankings)
    rows = list(_peer_rows(assignment, rankings, labels, inputs))
    rows += _staff_rows(assignment, labels, inputs)
    inputs.files[FEEDBACK] = _feedback(assignment, rows, labels, inputs)
    inputs.files[ROSTER] = _table(
        ("student", "item", "submits", "role", "section", "email"), _roster(assignment, labels, inputs)
    )
    ranked = {item for _grader, item, _rank, _shown in rows}
    anchors = [(labels.submissions[submission], f"{points:.10g}") for submission, points in graded.items()]
    counts = plan_of(assignment).points_rule == PointsRule.STAFF
    if counts and sum(item in ranked for item, _points in anchors) >= FEWEST_ANCHORS:
        inputs.files[ANCHORS] = _table(("item", "score"), sorted(anchors))
    return inputs


def keep_labels(inputs: Inputs, path: Path) -> None:
    """What labels stand for, for whoever reads the results; people may change their numbers meanwhile."""
    kept = {name: getattr(inputs, name) for name in ("submissions", "people", "roster", "reviews")}
    path.write_text(json.dumps(kept, ensure_ascii=False), encoding="utf-8")


def _table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue().encode()


# -- feedback -----------------------------------------------------------------------------------------------


def newest_rankings(assignment: Assignment) -> Rankings:
    """What each reviewer submitted last: places, best first, each a list of reviews."""
    ours = SubmittedRanking.objects.filter(ranking__assignment=assignment)
    newest = ours.order_by().values("ranking").annotate(last=Max("number"))
    last = {row["ranking"]: row["last"] for row in newest}
    rows = ours.order_by("ranking__reviewer").values_list("ranking", "number", "ranking__reviewer", "tiers")
    return {reviewer: tiers for ranking, number, reviewer, tiers in rows if last[ranking] == number}


def _counted(assignment: Assignment, rankings: Rankings) -> dict[int, tuple[int, int]]:
    """Of each member: how many reviews they were asked for, and how many of these are in their ranking."""
    rows = Review.objects.filter(
        assignment=assignment, state__in=ASKED, submission__excluded_at=None
    ).order_by()
    asked: Counter[int] = Counter()
    still: dict[int, int] = {}
    for pk, who, state in rows.values_list("pk", "reviewer", "state"):
        asked[who] += 1
        if state == Review.State.OPEN:
            still[pk] = who
    reviewed = {
        who: sum(still.get(pk) == who for place in tiers for pk in place) for who, tiers in rankings.items()
    }
    return {who: (asked[who], reviewed.get(who, 0)) for who in sorted({*asked, *reviewed})}


def _peer_rows(
    assignment: Assignment, rankings: Rankings, labels: Labels, inputs: Inputs
) -> Iterable[FeedbackRow]:
    open_reviews = Review.objects.filter(
        assignment=assignment, state=Review.State.OPEN, submission__excluded_at=None
    )
    reviews = {
        pk: (submission, position)
        for pk, submission, position in open_reviews.order_by().values_list("pk", "submission", "position")
    }
    for reviewer, tiers in rankings.items():
        grader = labels.people[reviewer]
        counted = [[reviews[pk] for pk in place if pk in reviews] for place in tiers]
        kept = _places([[submission for submission, _position in place] for place in counted], labels)
        shown = {
            labels.submissions[submission]: position for place in counted for submission, position in place
        }
        if not kept:
            continue
        inputs.people[grader] = reviewer
        inputs.lists += 1
        yield from ((grader, item, rank, shown[item]) for item, rank in kept)


def _feedback(assignment: Assignment, rows: Sequence[FeedbackRow], labels: Labels, inputs: Inputs) -> bytes:
    header = ("grader", "item", "rank", "shown")
    scores = rubric_scores(assignment)
    if not scores:
        return _table(header, rows)
    inputs.rubric_scale = scale_of(assignment)
    given = {
        (labels.people[reviewer], labels.submissions[submission]): f"{score:.10g}"
        for (reviewer, submission), score in scores.items()
    }
    scored = [(*row, given.get((row[0], row[1]), "")) for row in rows]
    return _table((*header, "score"), scored)


def rubric_scores(assignment: Assignment) -> dict[tuple[int, int], float]:
    """Points by the rubric of a reviewer for a submission; none where it does not count, or too few do."""
    if not plan_of(assignment).rubric_counts:
        return {}
    scores = scores_of(assignment)
    reviews = Review.objects.filter(
        pk__in=scores, state=Review.State.OPEN, submission__excluded_at=None
    ).order_by()
    rows = {
        (reviewer, submission): scores[pk]
        for pk, reviewer, submission in reviews.values_list("pk", "reviewer", "submission")
    }
    return rows if len(rows) >= FEWEST_SCORES else {}


def _staff_rows(assignment: Assignment, labels: Labels, inputs: Inputs) -> Iterable[FeedbackRow]:
    """Of each member of staff the newest ranking; nobody's own list of reviews, so under another label."""
    here = set(
        Submission.objects.filter(assignment=assignment, excluded_at=None).values_list("pk", flat=True)
    )
    rankings = StaffRanking.objects.filter(assignment=assignment, withdrawn_at=None).select_related("by")
    newest = {ranking.by_id: ranking for ranking in rankings.order_by("at", "pk")}
    taken = {label.casefold() for label in (*labels.people.values(), *labels.submissions.values())}
    for ranking in newest.values():
        kept = _places([[pk for pk in place if pk in here] for place in ranking.tiers], labels)
        if len(kept) < 2:  # one submission on its own says nothing of any other
            continue
        grader = unlike(f"{ranking.by.email} (staff)", taken)
        inputs.staff_lists += 1
        yield from ((grader, item, rank, "") for item, rank in kept)


def _places(tiers: list[list[int]], labels: Labels) -> list[tuple[str, int]]:
    """Items with their ranks; equal ranks are ties, and places that are left empty close up."""
    full = [place for place in tiers if place]
    return [
        (item, rank)
        for rank, place in enumerate(full, start=1)
        for item in sorted(labels.submissions[submission] for submission in place)
    ]


# -- roster and staff grades ----------------------------------------------------------------------------


def _roster(assignment: Assignment, labels: Labels, inputs: Inputs) -> list[tuple[str, ...]]:
    """Students of the course, and whoever else made or ranked a submission of it."""
    own = dict(owners(labels))
    submitted = set(
        Submission.objects.filter(assignment=assignment, versions__submitted_at__isnull=False)
        .order_by()
        .values_list("pk", flat=True)
        .distinct()
    )
    graders = set(inputs.people.values())
    members = Membership.objects.filter(course=assignment.course_id).select_related("person").order_by("pk")
    rows: list[tuple[str, ...]] = []
    for member in members:
        submission = own.get(member.pk)
        item = labels.submissions[submission] if submission in submitted and submission is not None else ""
        if member.role == Role.STUDENT or item or member.pk in graders:
            role = "staff" if member.role in STAFF else "student"
            submits = "yes" if item else "no"
            inputs.roster[labels.people[member.pk]] = member.pk
            rows.append((labels.people[member.pk], item, submits, role, member.section, member.person.email))
    return rows


def staff_grades(assignment: Assignment, extra: Iterable[ExtraGrade] = ()) -> dict[int, float]:
    """Submission to what staff think it is worth: the newest of each, and their mean."""
    ours = StaffGrade.objects.filter(submission__assignment=assignment, withdrawn_at=None)
    ours = ours.filter(submission__excluded_at=None)
    grades = {
        (submission, by): points for submission, by, points in ours.values_list("submission", "by", "points")
    }
    grades |= {(grade.submission, grade.by): grade.points for grade in extra}
    submissions: dict[int, list[float]] = {}
    for (submission, _by), points in sorted(grades.items()):
        submissions.setdefault(submission, []).append(points)
    return {submission: fmean(points) for submission, points in submissions.items()}

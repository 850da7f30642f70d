"""At the end of the story: everything is there, once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from benchmarks.story.room import REVIEWS, Room


def faults(room: Room) -> list[str]:
    """What is lost, doubled or torn, in words."""
    from django.db import connection, connections

    try:
        connection.check_constraints()
        return [*_submissions(room), *_rankings(room), *_grades(room), *_appeal(room), *_record(room)]
    finally:
        connections.close_all()


def _submissions(room: Room) -> Iterator[str]:
    from peerage_web.classes.submissions.models import SubmissionVersion

    found = SubmissionVersion.objects.filter(submission__assignment=room.assignment)
    for member in room.students:
        mine = list(found.filter(submission__author=member))
        if len(mine) != 1 or mine[0].sha256 != room.sha256_of(member):
            yield f"member {member} has {len(mine)} submissions, or another one than was submitted"
            continue
        files = list(mine[0].files.all())
        if [one.original.read_bytes() for one in files] != [room.text_of(member)]:
            yield f"the file of member {member} is not what was uploaded"
        if not all((one.folder / "shown" / "shown.json").is_file() for one in files):
            yield f"the copy of the submission of member {member} is not there"


def _rankings(room: Room) -> Iterator[str]:
    from peerage_web.classes.allocation.models import AllocationRun, Review
    from peerage_web.classes.reviewing.models import SubmittedRanking

    kinds = list(AllocationRun.objects.filter(assignment=room.assignment).values_list("kind", flat=True))
    if kinds != ["first"]:
        yield f"it was allocated as {kinds}"
    for member in room.students:
        mine = Review.objects.filter(assignment=room.assignment, reviewer=member).order_by(
            "submission__author"
        )
        kept = list(SubmittedRanking.objects.filter(ranking__reviewer=member))
        if mine.count() != REVIEWS or len(kept) != 1:
            yield f"member {member} has {mine.count()} reviews and {len(kept)} rankings"
        elif kept[0].tiers != [[one.pk] for one in mine]:
            yield f"the ranking of member {member} is {kept[0].tiers}"
        elif json.dumps(kept[0].comments).count(f"by {member}") != REVIEWS:
            yield f"comments of member {member} are not all there"


def _grades(room: Room) -> Iterator[str]:
    from peerage_web.accounts.models import Mail
    from peerage_web.classes.grading.models import GradingRun
    from peerage_web.classes.release.models import Release

    count = len(room.students)
    runs = list(GradingRun.objects.filter(assignment=room.assignment).exclude(job__state="failed"))
    for run in runs:
        lines = (run.job.results / "grades.csv").read_text().count("\n") - 1
        if (run.grades.count(), lines) != (count, count):
            yield f"run {run.number} has {run.grades.count()} rows and {lines} lines"
    releases = list(Release.objects.filter(assignment=room.assignment).order_by("number"))
    if [one.number for one in releases] != [1, 2] or releases[0].ended_at is None or releases[1].ended_at:
        yield f"there are {len(releases)} releases, or the wrong one is shown"
    for one in releases:
        if one.grades.count() != count:
            yield f"release {one.number} has {one.grades.count()} grades"
    told = Counter(Mail.objects.filter(about=f"course {room.course}", kind="grades").values_list("once"))
    if any(number > 1 for number in told.values()) or len(told) < count:
        yield f"there are {len(told)} mails about grades, some of them twice"


def _appeal(room: Room) -> Iterator[str]:
    from peerage_web.classes.appeals.models import Appeal

    states = list(Appeal.objects.filter(assignment=room.assignment).values_list("state", flat=True))
    if states != ["accepted"]:
        yield f"appeals are {states}"


ONCE_EACH = ("submission-submitted", "ranking-submitted")
ONCE = ("allocated", "grades-released", "grades-released-again", "appeal-opened", "appeal-accepted")
STEPS = 5  # publish, stop, start, close, release


def _record(room: Room) -> Iterator[str]:
    """Every step has one entry."""
    from peerage_web.classes.activity_log.models import Event

    entries: Any = Counter(Event.objects.filter(course=room.course).values_list("verb", flat=True))
    expected = dict.fromkeys(ONCE_EACH, len(room.students)) | dict.fromkeys(ONCE, 1) | {"phase-moved": STEPS}
    for verb, count in expected.items():
        if entries[verb] != count:
            yield f"the activity log has {entries[verb]} entries {verb}, not {count}"

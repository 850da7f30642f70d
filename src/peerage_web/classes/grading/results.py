"""From a finished job to rows: drawn once, by whoever looks first, from the tables that the library wrote.

The files are what counts; rows are drawn from them in one transaction that ends with `drawn_at`. Whoever
dies in between leaves a job that is done and a run that is not drawn, and the next look draws it.
"""

import csv
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from peerage.grading.letters import COMPLETE
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.grading.inputs import LABELS
from peerage_web.classes.grading.models import GradingRun, PointsRule, RunGrade, RunReviewer
from peerage_web.classes.quarantine import course_by_course
from peerage_web.files.models import Job

log = logging.getLogger(__name__)
AT_ONCE = 500


def draw_waiting() -> int:
    """Draw every run whose job is done; how many."""
    waiting = GradingRun.objects.filter(drawn_at=None, job__state=Job.State.DONE)
    waiting = waiting.select_related("job", "assignment__course")
    return course_by_course(
        "grading-results", waiting, lambda run: draw_run(run=run), course="assignment__course"
    )


def draw_if_possible(*, run: GradingRun) -> bool:
    """The same as `draw_run`; a run whose files are lost or damaged is told to the log."""
    try:
        return draw_run(run=run)
    except (OSError, ValueError, KeyError):
        log.exception("run %s could not be drawn", run.pk)
        return False


def draw_run(*, run: GradingRun) -> bool:
    """Draw it if its job is done and nobody has; whether it was drawn now."""
    if run.drawn_at is not None or run.job.state != Job.State.DONE:
        return False
    result = _read(run.job)
    with transaction.atomic():
        locked = GradingRun.objects.select_for_update().filter(pk=run.pk, drawn_at=None).first()
        if locked is None:
            return False
        RunGrade.objects.bulk_create(_grades(run, result), batch_size=AT_ONCE)
        RunReviewer.objects.bulk_create(_reviewers(run, result), batch_size=AT_ONCE)
        locked.method = result["summary"]["method"]
        locked.drawn_at = timezone.now()
        locked.save(update_fields=["method", "drawn_at"])
        record("run-done", by=None, assignment=run.assignment, count=run.number)
    run.refresh_from_db()
    return True


def _read(job: Job) -> dict[str, Any]:
    record_ = json.loads((job.results / "results.json").read_text(encoding="utf-8"))
    return {
        "labels": json.loads((job.folder / LABELS).read_text(encoding="utf-8")),
        "grades": list(_rows(job.results / "grades.csv")),
        "graders": list(_rows(job.results / "graders.csv")),
        "staff_list": [entry["item"] for entry in record_["staff_list"]],
        "summary": job.summary or {},
    }


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _number(row: dict[str, str], name: str) -> float | None:
    text = row.get(name, "")
    return float(text) if text else None


def _grades(run: GradingRun, result: dict[str, Any]) -> list[RunGrade]:
    """The library's table as it was written: what pages show is what the file says."""
    attention = {item: place for place, item in enumerate(result["staff_list"], start=1)}
    submissions = result["labels"]["submissions"]
    return [
        RunGrade(
            run=run,
            submission_id=submissions[row["item"]],
            rank=int(row["rank"]),
            rank_low=int(row["rank_low"]),
            rank_high=int(row["rank_high"]),
            percentile=_number(row, "percentile"),
            percentile_low=_number(row, "percentile_low"),
            percentile_high=_number(row, "percentile_high"),
            points=_number(row, "points"),
            points_low=_number(row, "points_low"),
            points_high=_number(row, "points_high"),
            letter=COMPLETE if run.points_rule == PointsRule.COMPLETE else row.get("letter", ""),
            letter_chance=_number(row, "letter_probability"),
            reviews=int(row["reviews"]),
            staff=_number(row, "staff"),
            attention=attention.get(row["item"]),
        )
        for row in result["grades"]
    ]


def _reviewers(run: GradingRun, result: dict[str, Any]) -> list[RunReviewer]:
    """Everybody who was asked for reviews or gave some, students and staff."""
    by_member = {result["labels"]["people"].get(row["grader"]): row for row in result["graders"]}
    reviews = {int(member): counts for member, counts in result["labels"]["reviews"].items()}
    members = {*reviews, *(member for member in by_member if member is not None)}
    return [
        _reviewer(run, member, by_member.get(member, {}), *reviews.get(member, (0, 0)))
        for member in sorted(members)
    ]


def _reviewer(run: GradingRun, member: int, row: dict[str, str], asked: int, given: int) -> RunReviewer:
    return RunReviewer(
        run=run,
        membership_id=member,
        asked=asked,
        given=given,
        reliability=_number(row, "reliability"),
        reliability_low=_number(row, "reliability_low"),
        reliability_high=_number(row, "reliability_high"),
        agreement=_number(row, "check_agreement"),
        flag=row.get("flag", ""),
        flag_text=row.get("flag_text", "")[:500],
        quality=_number(row, "quality_mark"),
        completeness=100 * min(given / asked, 1.0) if asked else None,
    )

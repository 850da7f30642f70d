"""Grading and people's data: what a person's file holds of it, and what erasing them leaves.

Grades of others rest on what an erased person ranked, so runs and their rows stay. In the inputs, another
label takes the place of the student number or address. What the library wrote from them goes: written anew it
would differ in the last digits of its intervals, and say something else than the rows that are shown.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.models import (
    GradingRun,
    Membership,
    Override,
    RunGrade,
    RunReviewer,
    StaffGrade,
    StaffRanking,
)
from peerage_web.classes.services.grading.drawing import draw_if_possible
from peerage_web.classes.services.grading.inputs import LABELS, sha256_of
from peerage_web.files.models import Job
from peerage_web.shared.errors import Refused
from peerage_web.shared.services.disk import size_of

NAMED = ("grader", "item", "student")  # columns of the inputs that hold labels
EMPTIED = ("section", "email")  # columns of the roster about a person


def rows_about(member: Membership) -> dict[str, list[dict[str, Any]]]:
    """What runs say about somebody's works and reviewing, and what staff set by hand."""
    works = Q(work__author=member) | Q(work__team__members__membership=member)
    return {
        "run_grades": _rows(
            RunGrade.objects.filter(works),
            "run__assignment__title run__number rank points points_low points_high letter reviews staff",
        ),
        "run_reviewing": _rows(
            RunReviewer.objects.filter(membership=member),
            "run__assignment__title run__number asked given reliability agreement flag_text quality"
            " completeness",
        ),
        "grades_by_hand": _rows(
            Override.objects.filter(works & (Q(membership=None) | Q(membership=member))),
            "work__assignment__title points reason at withdrawn_at",
        ),
        "staff_grades_of_works": _rows(
            StaffGrade.objects.filter(works), "work__assignment__title points reason at withdrawn_at"
        ),
    }


def _rows(found: Any, fields: str) -> list[dict[str, Any]]:
    return list(found.distinct().order_by("pk").values(*fields.split()))


def refuse_while_grading(member: Membership) -> None:
    """A run that waits or is under way would still write their number into its files."""
    active = GradingRun.objects.filter(assignment__course=member.course_id, job__state__in=Job.ACTIVE)
    if active.exists():
        raise Refused(_("A grading run of this course is under way. Try again when it is done."))


def erase_from_grading(*, member: Membership, person: Person, nobody: Person) -> None:
    """Take names and reasons out of rows and files; call it in the transaction that erases the member.

    Files go first: an erasure that dies on the way has lost no row, and done again it does the rest.
    """
    about = Q(work__author=member) | Q(work__team__members__membership=member)
    for model in (Override, StaffGrade):
        theirs: Any = model._default_manager
        theirs.filter(pk__in=theirs.filter(about).values("pk")).update(reason="")
        theirs.filter(work__assignment__course=member.course_id, by=person).update(by=nobody)
    rankings = StaffRanking.objects.filter(assignment__course=member.course_id, by=person)
    rankings.update(by=nobody)
    runs = GradingRun.objects.filter(assignment__course=member.course_id)
    for role in ("made_by", "approved_by"):
        runs.filter(**{role: person}).update(**{role: nobody})
    for run in runs.select_related("job", "assignment__course"):
        draw_if_possible(run=run)  # what is not drawn yet could not be drawn any more
        _rename(run, member, person, nobody.email)


def _rename(run: GradingRun, member: Membership, person: Person, label: str) -> None:
    """Another label in the inputs of a run; later runs call them the same."""
    path = run.job.folder / LABELS
    if not path.is_file():
        return
    labels = json.loads(path.read_text(encoding="utf-8"))
    before = next((name for name, pk in labels["roster"].items() if pk == member.pk), None)
    staff = f"{person.email} (staff)"
    renamed = {staff: f"{label} (staff)"} if staff in _graders(run) else {}
    if before is not None:
        renamed[before] = label
    if not renamed:
        return
    shutil.rmtree(run.job.results, ignore_errors=True)
    for one in sorted((run.job.folder / "input").iterdir()):
        _rewrite(one, renamed)
    for kind in ("works", "people", "roster"):
        labels[kind] = {renamed.get(name, name): pk for name, pk in labels[kind].items()}
    path.write_text(json.dumps(labels, ensure_ascii=False), encoding="utf-8")
    _remember(run)


def _graders(run: GradingRun) -> set[str]:
    text = (run.job.folder / "input" / "feedback.csv").read_text(encoding="utf-8")
    return {row["grader"] for row in csv.DictReader(io.StringIO(text))}


def _rewrite(path: Path, renamed: dict[str, str]) -> None:
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
    if not rows:
        return
    for row in rows:
        if row.get("student") in renamed:
            row |= {name: "" for name in EMPTIED if name in row}
        row |= {name: renamed.get(row[name], row[name]) for name in NAMED if name in row}
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8")


def _remember(run: GradingRun) -> None:
    files = {path.name: path.read_bytes() for path in (run.job.folder / "input").iterdir()}
    GradingRun.objects.filter(pk=run.pk).update(inputs_sha256=sha256_of(files))
    Job.objects.filter(pk=run.job.pk).update(disk_bytes=size_of(run.job.folder))

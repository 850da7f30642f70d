"""Two runs side by side: who moved, how far, and what of the inputs explains it."""

import csv
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from peerage_web.classes.grading.models import GradingRun, RunGrade

OPTIONS = ("method", "scale", "curve", "letters", "seed")


@dataclass(frozen=True, slots=True)
class ShiftReason:
    """Why something moved: a code of `grading_words`, and its figures."""

    code: str
    figures: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GradeShift:
    """One submission in both runs; None where it is in one of them only."""

    submission: int
    before: RunGrade | None
    after: RunGrade | None
    reasons: list[ShiftReason]

    @property
    def points(self) -> float | None:
        """How far up, in points; None where one of the runs makes none."""
        if self.before is None or self.after is None:
            return None
        if self.before.points is None or self.after.points is None:
            return None
        return round(self.after.points - self.before.points, 6)

    @property
    def places(self) -> int | None:
        """How many places up."""
        if self.before is None or self.after is None:
            return None
        return self.before.rank - self.after.rank

    @property
    def letter_changed(self) -> bool:
        """Whether the student reads another letter."""
        pair = (self.before, self.after)
        return None not in pair and self.before.letter != self.after.letter  # type: ignore[union-attr]

    @property
    def is_beyond_band(self) -> bool:
        """Whether the new grade lies outside of the band of the old one."""
        if self.before is None or self.after is None:
            return False
        low, at, high = self.before.points_low, self.after.points, self.before.points_high
        return low is not None and at is not None and high is not None and not low <= at <= high


@dataclass(frozen=True, slots=True)
class RunComparison:
    """`same_scale` is False where points cannot be held against each other; places always can."""

    before: GradingRun
    after: GradingRun
    moves: list[GradeShift]  # the farthest first
    reasons: list[ShiftReason]  # on the whole
    same_scale: bool
    has_files: bool  # without the inputs nothing says why

    @property
    def moved(self) -> list[GradeShift]:
        """Submissions whose grade is another one."""
        return [
            move
            for move in self.moves
            if move.points or move.places or move.letter_changed or move.before is None or move.after is None
        ]


def compare_runs(before: GradingRun, after: GradingRun) -> RunComparison:
    """From `before` to `after`, of one assignment."""
    first, second = (_Side(run) for run in (before, after))
    same_scale = before.has_points and all(
        one == other
        for one, other in (
            (before.points_rule, after.points_rule),
            (before.scale, after.scale),
            (before.options.get("curve"), after.options.get("curve")),
        )
    )
    submissions = {**first.grades, **second.grades}
    moves = [
        GradeShift(
            submission,
            first.grades.get(submission),
            second.grades.get(submission),
            _reasons(submission, first, second),
        )
        for submission in submissions
    ]
    moves.sort(key=lambda move: (-_distance(move, same_scale), move.submission))
    has_files = first.has_files and second.has_files
    return RunComparison(before, after, moves, _on_the_whole(first, second), same_scale, has_files)


def _distance(move: GradeShift, same_scale: bool) -> float:
    far = move.points if same_scale else move.places
    return abs(far) if far is not None else float("inf")


class _Side:
    """A run, its grades, and its inputs with submissions instead of labels."""

    def __init__(self, run: GradingRun) -> None:
        self.run = run
        self.grades = {grade.submission_id: grade for grade in run.grades.all()}
        folder = run.job.folder
        self.has_files = (folder / "labels.json").is_file()
        self.lists: dict[str, dict[int, int]] = {}  # grader to submission to rank
        self.reviews: dict[int, dict[str, dict[int, int]]] = {}  # submission to the lists that it is in
        self.staff: dict[int, float] = {}
        if self.has_files:
            self._read(folder)

    def _read(self, folder: Path) -> None:
        submissions = json.loads((folder / "labels.json").read_text(encoding="utf-8"))["submissions"]
        for row in _rows(folder / "input" / "feedback.csv"):
            self.lists.setdefault(row["grader"], {})[submissions[row["item"]]] = int(row["rank"])
        for row in _rows(folder / "input" / "anchors.csv"):
            self.staff[submissions[row["item"]]] = float(row["score"])
        for grader, ranks in self.lists.items():
            for submission in ranks:
                self.reviews.setdefault(submission, {})[grader] = ranks


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _reasons(submission: int, first: _Side, second: _Side) -> list[ShiftReason]:
    """What changed about the submission itself; nothing, where it moved because others did."""
    if not (first.has_files and second.has_files):
        return []
    reasons = []
    old, new = first.reviews.get(submission, {}), second.reviews.get(submission, {})
    added, gone = len(new.keys() - old.keys()), len(old.keys() - new.keys())
    changed = sum(old[grader] != new[grader] for grader in old.keys() & new.keys())
    for code, count in (("lists-added", added), ("lists-gone", gone), ("lists-changed", changed)):
        if count:
            reasons.append(ShiftReason(code, {"count": count}))
    before, after = first.staff.get(submission), second.staff.get(submission)
    if before != after:
        code = "staff-added" if before is None else "staff-gone" if after is None else "staff-changed"
        reasons.append(ShiftReason(code, {"before": before, "after": after}))
    return reasons


def _on_the_whole(first: _Side, second: _Side) -> list[ShiftReason]:
    reasons = []
    if first.run.points_rule != second.run.points_rule:
        rules = {"before": first.run.points_rule.value, "after": second.run.points_rule.value}
        reasons.append(ShiftReason("rule", rules))
    for name in OPTIONS:
        before, after = first.run.options.get(name), second.run.options.get(name)
        if name == "curve" and None in (before, after):
            continue  # another rule, which is said already
        if before != after:
            reasons.append(ShiftReason(f"option-{name}", {"before": before or "–", "after": after or "–"}))
    if first.run.method != second.run.method and first.run.options.get("method") == second.run.options.get(
        "method"
    ):
        reasons.append(ShiftReason("method-chosen", {"before": first.run.method, "after": second.run.method}))
    if first.run.version != second.run.version:
        reasons.append(ShiftReason("version", {"before": first.run.version, "after": second.run.version}))
    if first.run.inputs_sha256 == second.run.inputs_sha256:
        reasons.append(ShiftReason("inputs-same"))
    elif first.has_files and second.has_files:
        reasons += _inputs_differ(first, second)
    return reasons


def _inputs_differ(first: _Side, second: _Side) -> list[ShiftReason]:
    old, new = first.lists, second.lists
    counts = {
        "all-lists-added": len(new.keys() - old.keys()),
        "all-lists-gone": len(old.keys() - new.keys()),
        "all-lists-changed": sum(old[reviewer] != new[reviewer] for reviewer in old.keys() & new.keys()),
        "all-staff": sum(
            first.staff.get(submission) != second.staff.get(submission)
            for submission in {*first.staff, *second.staff}
        ),
    }
    reasons = [ShiftReason(code, {"count": count}) for code, count in counts.items() if count]
    return reasons or [ShiftReason("roster")]

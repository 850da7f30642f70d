"""Two runs side by side: who moved, how far, and what of the inputs explains it."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from peerage_web.classes.grading.models import GradingRun, RunGrade

OPTIONS = ("method", "scale", "letters", "seed")


@dataclass(frozen=True, slots=True)
class ShiftReason:
    """Why something moved: a code of `grading_words`, and its figures."""

    code: str
    figures: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GradeShift:
    """One work in both runs; None where it is in one of them only."""

    work: int
    before: RunGrade | None
    after: RunGrade | None
    reasons: list[ShiftReason]

    @property
    def points(self) -> float | None:
        """How far up, in points."""
        if self.before is None or self.after is None:
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
        return not self.before.points_low <= self.after.points <= self.before.points_high


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
        """Works whose grade is another one."""
        return [
            one for one in self.moves if one.points or one.places or one.before is None or one.after is None
        ]


def compare_runs(before: GradingRun, after: GradingRun) -> RunComparison:
    """From `before` to `after`, of one assignment."""
    first, second = (_Side(run) for run in (before, after))
    same_scale = before.options.get("scale") == after.options.get("scale")
    works = {**first.grades, **second.grades}
    moves = [
        GradeShift(work, first.grades.get(work), second.grades.get(work), _reasons(work, first, second))
        for work in works
    ]
    moves.sort(key=lambda one: (-_distance(one, same_scale), one.work))
    has_files = first.has_files and second.has_files
    return RunComparison(before, after, moves, _on_the_whole(first, second), same_scale, has_files)


def _distance(move: GradeShift, same_scale: bool) -> float:
    far = move.points if same_scale else move.places
    return abs(far) if far is not None else float("inf")


class _Side:
    """A run, its grades, and its inputs with works instead of labels."""

    def __init__(self, run: GradingRun) -> None:
        self.run = run
        self.grades = {one.work_id: one for one in run.grades.all()}
        folder = run.job.folder
        self.has_files = (folder / "labels.json").is_file()
        self.lists: dict[str, dict[int, int]] = {}  # grader to work to rank
        self.reviews: dict[int, dict[str, dict[int, int]]] = {}  # work to the lists that it is in
        self.staff: dict[int, float] = {}
        if self.has_files:
            self._read(folder)

    def _read(self, folder: Path) -> None:
        works = json.loads((folder / "labels.json").read_text(encoding="utf-8"))["works"]
        for row in _rows(folder / "input" / "feedback.csv"):
            self.lists.setdefault(row["grader"], {})[works[row["item"]]] = int(row["rank"])
        for row in _rows(folder / "input" / "anchors.csv"):
            self.staff[works[row["item"]]] = float(row["score"])
        for grader, ranks in self.lists.items():
            for work in ranks:
                self.reviews.setdefault(work, {})[grader] = ranks


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _reasons(work: int, first: _Side, second: _Side) -> list[ShiftReason]:
    """What changed about the work itself; nothing, where it moved because others did."""
    if not (first.has_files and second.has_files):
        return []
    found = []
    old, new = first.reviews.get(work, {}), second.reviews.get(work, {})
    added, gone = len(new.keys() - old.keys()), len(old.keys() - new.keys())
    changed = sum(old[grader] != new[grader] for grader in old.keys() & new.keys())
    for code, count in (("lists-added", added), ("lists-gone", gone), ("lists-changed", changed)):
        if count:
            found.append(ShiftReason(code, {"count": count}))
    before, after = first.staff.get(work), second.staff.get(work)
    if before != after:
        code = "staff-added" if before is None else "staff-gone" if after is None else "staff-changed"
        found.append(ShiftReason(code, {"before": before, "after": after}))
    return found


def _on_the_whole(first: _Side, second: _Side) -> list[ShiftReason]:
    found = []
    for name in OPTIONS:
        before, after = first.run.options.get(name), second.run.options.get(name)
        if before != after:
            found.append(ShiftReason(f"option-{name}", {"before": before or "–", "after": after or "–"}))
    if first.run.method != second.run.method and first.run.options.get("method") == second.run.options.get(
        "method"
    ):
        found.append(ShiftReason("method-chosen", {"before": first.run.method, "after": second.run.method}))
    if first.run.version != second.run.version:
        found.append(ShiftReason("version", {"before": first.run.version, "after": second.run.version}))
    if first.run.inputs_sha256 == second.run.inputs_sha256:
        found.append(ShiftReason("inputs-same"))
    elif first.has_files and second.has_files:
        found += _inputs_differ(first, second)
    return found


def _inputs_differ(first: _Side, second: _Side) -> list[ShiftReason]:
    old, new = first.lists, second.lists
    counts = {
        "all-lists-added": len(new.keys() - old.keys()),
        "all-lists-gone": len(old.keys() - new.keys()),
        "all-lists-changed": sum(old[one] != new[one] for one in old.keys() & new.keys()),
        "all-staff": sum(
            first.staff.get(work) != second.staff.get(work) for work in {*first.staff, *second.staff}
        ),
    }
    found = [ShiftReason(code, {"count": count}) for code, count in counts.items() if count]
    if bool(first.staff) != bool(second.staff):
        found.append(ShiftReason("staff-begin" if second.staff else "staff-end"))
    return found or [ShiftReason("roster")]

"""The grade that was handed out, in words: where its points and its letter come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage.grading.letters import parse_letters
from peerage.grading.points import parse_scale, points_map
from peerage.grading.staff.validity import AnchoredMap
from peerage.writing.spreadsheet import neutralise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from peerage.grading.result import GradingResult

ToPoints = Callable[["NDArray[np.float64]"], "NDArray[np.float64]"]


@dataclass(frozen=True, slots=True, eq=False)
class HandedOut:
    """One item's grade: its row of the grades, the rules of the class, and how scores became points.

    Attributes
    ----------
    row : of ``GradingResult.items``, or of grades.csv.
    options : as ``provenance["options"]`` has them.
    level : of the intervals.
    why_points : the sentence that says what points are; None without points.
    to_points : from scores of the class to points; None where scores alone do not decide.
    """

    row: Mapping[str, Any]
    options: Mapping[str, Any]
    level: float
    why_points: str | None = None
    to_points: ToPoints | None = None

    @classmethod
    def of(cls, result: GradingResult, item: str, task: str) -> HandedOut:
        """From a result."""
        row = result.items.row(by_predicate=(pl.col("task") == task) & (pl.col("item") == item), named=True)
        options = result.provenance["options"]
        why = result.sentences.get("points")
        return cls(row, options, result.interval, why, _map(result))

    @classmethod
    def from_file(
        cls, grades: Path, item: str, task: str, options: Mapping[str, Any], level: float
    ) -> HandedOut:
        """From a grades.csv that was written, and the options that made it."""
        table = pl.read_csv(grades, infer_schema=False)
        known = neutralise(pl.DataFrame({"task": [task], "item": [item]}))
        row = table.join(known, on=["task", "item"]).row(0, named=True)
        return cls({name: _cell(name, value) for name, value in row.items()}, options, level)

    @property
    def staff_decides(self) -> bool:
        """Whether the staff's own grade of the item is its grade."""
        return bool(self.options.get("anchors_as_evidence")) and self.row.get("staff") is not None

    def sentences(self) -> list[str]:
        """Points, letter and staff grade, as far as there are any."""
        return [text for text in (self._points(), self._letter(), self._staff(), self._plain()) if text]

    def _points(self) -> str:
        row = self.row
        if row.get("points") is None:
            return ""
        scale = f" on {self.options['scale']}" if self.options.get("scale") else ""
        low, high = f"{row['points_low']:.1f}", f"{row['points_high']:.1f}"
        return (
            f"Its grade is {row['points']:.1f} points{scale}, {low} to {high} at {100 * self.level:.0f} %."
            f" {self.why_points or ''}"
        ).strip()

    def _letter(self) -> str:
        row = self.row
        if row.get("letter") is None:
            return ""
        chances = str(row["letter_probabilities"]).replace("; ", ", ")
        rule = parse_letters(str(self.options["letters"]))
        where = f" {self._margins()}" if rule.cuts is not None else ""
        return f"Its letter is {row['letter']}, by the rule {rule.text}.{where} Chances: {chances}."

    def _margins(self) -> str:
        """How far the points are from the letters beside."""
        rule, points = parse_letters(str(self.options["letters"])), float(self.row["points"])
        cuts = list(zip(rule.names, rule.cuts or (), strict=False))
        above = [(name, cut) for name, cut in cuts if cut > points]
        below = [(name, cut) for name, cut in cuts if cut <= points]
        parts = [f"{cut - points:.1f} short of {name}" for name, cut in above[-1:]]
        parts += [f"{points - cut:.1f} above where {name} begins" for name, cut in below[:1]]
        return f"The points are {' and '.join(parts)}."

    def _staff(self) -> str:
        given = self.row.get("staff")
        if given is None:
            return ""
        if self.staff_decides:
            return f"Staff gave it {given:g}, and that is its grade; what peers said only moves its interval."
        return (
            f"Staff gave it {given:g}. That helped to fit how peers' scores become points for everybody; its"
            " own grade is still what the peers' score gives."
        )

    def _plain(self) -> str:
        """The plain mean beside the estimate."""
        row = self.row
        if row.get("mean_score") is not None:
            return f"The plain mean of the marks it got is {row['mean_score']:.2f}."
        if row.get("mean_rank") is not None:
            return f"Its mean place in the lists it was in is {row['mean_rank']:.2f}."
        return ""


def _cell(name: str, text: str | None) -> Any:
    """Texts stay texts, whatever they look like."""
    if text is None or name in ("task", "item", "letter", "letter_probabilities"):
        return text
    return float(text)


def _map(result: GradingResult) -> ToPoints | None:
    """How scores became points in this class, held fixed; None where there are none, or staff decide."""
    options, scale = result.provenance["options"], result.scale
    if options.get("anchors_as_evidence"):
        return None
    if result.validity is not None:
        anchored = AnchoredMap(result.validity.maps, result.feedback.task_starts)
        return anchored if scale is None else lambda scores: scale.clip(anchored(scores))
    if scale is None:
        return None
    peers = options.get("peer_scale")
    return points_map(result.fitted, scale, None if peers is None else parse_scale(peers))

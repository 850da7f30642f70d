"""What can be asked of grading: every option once, for the library, the command line and the service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from peerage._options import SELF_REVIEWS, OptionSet, named, option
from peerage._options import SelfReviews as SelfReviews
from peerage.errors import DataError, MethodError

if TYPE_CHECKING:
    from peerage.grading.letters import Letters
    from peerage.grading.points import Curve, Scale
    from peerage.models.base import Estimator

Prior = Literal["auto", "given", "learn"]
PRIORS: tuple[Prior, ...] = get_args(Prior)
Favours = Literal["keep", "drop"]
FAVOURS: tuple[Favours, ...] = get_args(Favours)

GRADES = "What the grades look like"
TRUST = "How sure they are"
TEXTS = ("scale", "peer_scale", "curve", "letters")  # may be given ready-made, and are written as text


@dataclass(frozen=True, kw_only=True)
class GradingOptions(OptionSet):
    """How a class is graded; :func:`peerage.grade` takes the same by keyword.

    Options are stored as they are given. :meth:`check` refuses what makes no sense, and is called before
    anything is graded.

    Attributes
    ----------
    method : a code such as "pl+g", an estimator, or None for the method that suits the feedback.
    params : parameters of the method, such as ``{"score_variance": 3.0}``.
    prior : "learn" the method's priors from the class, take them as "given", or "auto": learn them for a
        method that Peerage chose.
    self_reviews : "drop" reviews of one's own work, or "keep" them. The roster says who made what; where none
        does, a grader who is called like an item is taken for its author.
    favours : "keep" the reviews that students gave each other's work where they seem to have favoured it, or
        "drop" them; `strategic` of the result says who they are, and what that changes. Needs a roster.
    seed : of everything random.
    scale : "LOW:HIGH" or (LOW, HIGH), the scale of the points. Graders' scores become points on it; orders
        need staff grades or a curve as well.
    peer_scale : the same of the scale graders used, where it is not that of the points.
    curve : "MEAN:SD" or (MEAN, SD), the mean of the class's points and their standard deviation, on `scale`.
    letters : quotas "A:20%,B:30%,C:50%" or, where there are points, cut-points "A>=85,B>=70,C".
    complete : no points and no letters: "complete" for every item that was reviewed, else "incomplete".
    interval : the level of all intervals.
    bootstrap : resamples of graders to take uncertainty from; 0 for the method's own way.
    compare : codes of methods to hold beside it, or "all"; simple averages are always there.
    staff_budget : how many items staff could grade; the lists of what to look at have that many rows.
    anchors_as_evidence : whether items that staff graded get that grade, and others learn from it; else the
        staff grades only say what peers' scores are worth.

    >>> GradingOptions(scale="0:10").to_dict()["scale"]
    '0:10'
    >>> GradingOptions(interval=90).check()
    Traceback (most recent call last):
    ...
    peerage.errors.MethodError: interval must be between 0.01 and 0.999, such as 0.9, not 90
    """

    method: str | Estimator | None = option(
        None, str, "The code of a method; chosen for you if not given.", metavar="CODE", examples=("pl+g",)
    )
    params: Mapping[str, Any] = option(
        {}, dict, "A parameter of the method.", metavar="NAME=VALUE", examples=("score_variance=3",)
    )
    prior: Prior = option(
        "auto", str, "Whether the method's priors are learned from the class.", choices=PRIORS
    )
    self_reviews: SelfReviews = option(
        "drop", str, "Whether reviews of one's own work count.", choices=SELF_REVIEWS
    )
    favours: Favours = option(
        "keep",
        str,
        "Whether reviews inside a group that seems to favour its own work count.",
        choices=FAVOURS,
    )
    seed: int = option(0, int, "The same seed gives the same result.", low=0)
    scale: str | Scale | tuple[float, float] | None = option(
        None,
        str,
        "LOW:HIGH, the scale of the points.",
        group=GRADES,
        metavar="LOW:HIGH",
        examples=("0:100",),
    )
    peer_scale: str | Scale | tuple[float, float] | None = option(
        None,
        str,
        "LOW:HIGH, the scale graders used, where it is another one.",
        group=GRADES,
        metavar="LOW:HIGH",
    )
    curve: str | Curve | tuple[float, float] | None = option(
        None,
        str,
        "MEAN:SD, the class mean of the points and their standard deviation, on the scale.",
        group=GRADES,
        metavar="MEAN:SD",
        examples=("75:10",),
    )
    letters: str | Letters | None = option(
        None,
        str,
        "Quotas or cut-points.",
        group=GRADES,
        metavar="RULE",
        examples=("A:20%,B:30%,C:50%", "A>=85,B>=70,C"),
    )
    complete: bool = option(
        False, bool, "No points: complete for every item that was reviewed, else incomplete.", group=GRADES
    )
    interval: float = option(
        0.9,
        float,
        "Level of the intervals.",
        group=TRUST,
        low=0.01,
        high=0.999,  # beyond that, a thousand draws cannot tell
    )
    bootstrap: int = option(
        0, int, "Take uncertainty from this many resamples of graders.", group=TRUST, low=0
    )
    compare: tuple[str, ...] = option(
        (), tuple, 'Methods to hold beside it, by commas, or "all".', group=TRUST, metavar="CODES"
    )
    staff_budget: int = option(0, int, "How many items staff could grade.", group=TRUST, low=0)
    anchors_as_evidence: bool = option(
        False, bool, "Items that staff graded get that grade; others learn from it.", group=GRADES
    )

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON; of scales and letters, the text."""
        if self.method is not None and not isinstance(self.method, str):
            raise MethodError(
                f"options with a ready-made {self.method.name} cannot be written down:"
                " name the method by its code, and give its params"
            )
        texts = {name: _text(getattr(self, name), name) for name in TEXTS}
        return {**super().to_dict(), **texts}

    def check(self) -> None:
        """Refuse what makes no sense, whatever the feedback is."""
        from peerage.grading.letters import is_named

        super().check()
        scale, letters, curve = self.read_scale(), self.read_letters(), self.read_curve()
        peer_scale = self.read_peer_scale()
        if self.complete:
            self._check_complete()
        if curve is not None:
            if scale is None:
                raise DataError(
                    f"the curve {curve.text} needs the scale that it is on: add"
                    f" {named('scale', '0:100')} if it is that one"
                )
            curve.check_within(scale)
            if peer_scale is not None:
                raise DataError(f"a curve has no use for {named('peer_scale')}: leave it out")
        if scale is not None and letters is not None:
            letters.check_within(scale.low, scale.high)
        if scale is None and isinstance(self.letters, str) and is_named(self.letters):
            raise DataError(
                f"the letters {self.letters!r} are of points from 0 to 100: add {named('scale', '0:100')}"
            )

    def _check_complete(self) -> None:
        others = ("scale", "peer_scale", "curve", "letters", "anchors_as_evidence")
        beside = [named(name) for name in others if getattr(self, name)]
        if beside:
            raise DataError(
                f"{named('complete', True)} gives no points and no letters: leave out {' and '.join(beside)}"
            )

    def read_scale(self) -> Scale | None:
        return _scale(self.scale, "scale")

    def read_peer_scale(self) -> Scale | None:
        return _scale(self.peer_scale, "peer_scale")

    def read_curve(self) -> Curve | None:
        from peerage.grading.points import Curve, parse_curve

        return self.curve if self.curve is None or isinstance(self.curve, Curve) else parse_curve(self.curve)

    def read_letters(self) -> Letters | None:
        from peerage.grading.letters import parse_letters

        return parse_letters(self.letters) if isinstance(self.letters, str) else self.letters


def _scale(value: str | Scale | tuple[float, float] | None, name: str) -> Scale | None:
    from peerage.grading.points import Scale, parse_scale

    return value if value is None or isinstance(value, Scale) else parse_scale(value, name)


def _text(value: Any, name: str) -> str | None:
    """As it is written on the command line."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, tuple | list):
        from peerage.grading.points import parse_curve

        value = parse_curve(value) if name == "curve" else _scale(tuple(value), name)
    text: str = value.text
    return text

"""Codes of grading in words: why grades moved, and what a mark for reviewing is made of."""

from collections.abc import Mapping
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from peerage.grading.letters import COMPLETE, INCOMPLETE
from peerage_web.classes.grading.models import GradingRun, PointsRule

_COUNTED: dict[str, Any] = {
    "lists-added": ngettext_lazy(
        "%(count)s new ranking includes it", "%(count)s new rankings include it", "count"
    ),
    "lists-gone": ngettext_lazy(
        "%(count)s ranking that included it is gone", "%(count)s rankings that included it are gone", "count"
    ),
    "lists-changed": ngettext_lazy(
        "%(count)s ranking that includes it has changed",
        "%(count)s rankings that include it have changed",
        "count",
    ),
    "all-lists-added": ngettext_lazy("%(count)s ranking is new.", "%(count)s rankings are new.", "count"),
    "all-lists-gone": ngettext_lazy("%(count)s ranking is gone.", "%(count)s rankings are gone.", "count"),
    "all-lists-changed": ngettext_lazy(
        "%(count)s ranking has changed.", "%(count)s rankings have changed.", "count"
    ),
    "all-staff": ngettext_lazy(
        "The staff grade of %(count)s submission was added, changed or withdrawn.",
        "The staff grades of %(count)s submissions were added, changed or withdrawn.",
        "count",
    ),
}
_PLAIN: dict[str, Any] = {
    "staff-added": _("staff graded it: %(after)s"),
    "staff-gone": _("a staff grade was withdrawn: %(before)s"),
    "staff-changed": _("its staff grade changed from %(before)s to %(after)s"),
    "option-method": _("The method changed from %(before)s to %(after)s."),
    "option-curve": _("The curve changed from %(before)s to %(after)s."),
    "option-scale": _("The points scale changed from %(before)s to %(after)s."),
    "option-letters": _("The letter grades changed from %(before)s to %(after)s."),
    "option-seed": _("The random seed changed from %(before)s to %(after)s."),
    "method-chosen": _("Peerage chose a different method: %(before)s before, %(after)s now."),
    "version": _("The version of Peerage changed from %(before)s to %(after)s."),
    "rule": _("How points are made changed from %(before)s to %(after)s. This changes every grade."),
    "roster": _("Rankings and staff grades were the same, but the list of people was different."),
    "inputs-same": _("Both runs used the same rankings and staff grades."),
}


def moved_because(code: str, figures: Mapping[str, Any]) -> str:
    if code in _COUNTED:
        return str(_COUNTED[code] % {"count": figures["count"]})
    if code == "rule":
        figures = {name: RULES[value] for name, value in figures.items()}
    return str(_PLAIN[code]) % {name: _figure(value) for name, value in figures.items()}


RULES: dict[str, Any] = {
    PointsRule.STAFF: _("staff grades"),
    PointsRule.CURVE: _("a curve"),
    PointsRule.QUOTAS: _("quotas"),
    PointsRule.COMPLETE: _("complete or incomplete"),
    PointsRule.STANDING: _("standing only"),
}
SENT: dict[str, Any] = {  # to gradebooks: exports and learning platforms
    PointsRule.STAFF: _("Gradebooks receive these points."),
    PointsRule.CURVE: _("Gradebooks receive these points."),
    PointsRule.QUOTAS: _(
        "Gradebook files contain these letters. Learning platforms receive no points for submissions."
    ),
    PointsRule.COMPLETE: _(
        "Gradebooks receive the maximum points for complete and the minimum for incomplete."
    ),
    PointsRule.STANDING: _("Gradebooks receive nothing for submissions: a standing is not a grade."),
}


def rule_sentence(run: GradingRun) -> str:
    low, high = (figure(end, 2) for end in run.scale)
    match run.points_rule:
        case PointsRule.STAFF:
            graded = run.grades.filter(staff__isnull=False).count()
            return ngettext(
                "Points from %(low)s to %(high)s follow the staff grade of %(count)s submission.",
                "Points from %(low)s to %(high)s follow the staff grades of %(count)s submissions.",
                graded,
            ) % {"low": low, "high": high, "count": graded}
        case PointsRule.CURVE:
            mean, _colon, sd = str(run.options["curve"]).partition(":")
            return gettext(
                "Points from %(low)s to %(high)s follow a curve with mean %(mean)s and standard deviation "
                "%(sd)s. No staff grade says what they are worth."
            ) % {"low": low, "high": high, "mean": figure(float(mean), 2), "sd": figure(float(sd), 2)}
        case PointsRule.QUOTAS:
            text = gettext("Letters follow quotas: %(letters)s. There are no points.")
            return text % {"letters": run.options["letters"]}
        case PointsRule.COMPLETE:
            return gettext("Every submission that was reviewed is complete. There are no points or letters.")
    return gettext(
        "There are no points or letters. The run says where each submission stands in the class, and how "
        "certain that is."
    )


def question_sentence(code: str, figures: Mapping[str, Any]) -> str:
    words = {
        name: figure(value, 2) if isinstance(value, float) else letter_in_words(str(value))
        for name, value in figures.items()
    }
    return str(_QUESTIONS[code]) % words


_QUESTIONS: dict[str, Any] = {
    "no-points": _(
        "These grades have no points, because fewer than three submissions in this run had a staff grade. "
        "Students see no points or letters."
    ),
    "not-anchored": _(
        "No staff grade says what these points are worth. Their mean and their spread are those of the curve."
    ),
    "points-fail": _(
        "%(failing)s of %(graded)s students would fail. Here, failing means fewer than %(below)s points, "
        "half of the scale."
    ),
    "letter-fails": _("%(failing)s of %(graded)s students would fail. Here, failing means “%(letter)s”."),
}


def letter_in_words(letter: str) -> str:
    """A letter as staff wrote it; the words that stand for one in the reader's language."""
    return {COMPLETE: gettext("complete"), INCOMPLETE: gettext("incomplete")}.get(letter, letter)


def _figure(value: Any) -> str:
    return figure(value) if isinstance(value, float) else str(value)


def figure(value: float | None, most: int = 1, *, in_column: bool = False) -> str:
    """A number of points as people write it: no decimals that are zeros, but in a column; – for none."""
    if value is None:
        return "–"
    text = f"{value:.{most}f}"
    decimals = most if in_column else len(text.rstrip("0").partition(".")[2])
    return number_format(float(text), decimals)


def reviewing_sentences(mark: float | None, parts: Mapping[str, Any]) -> list[str]:
    """What a mark for reviewing is made of, for whoever got it: `parts` as `final_grades` has them."""
    if mark is None or not parts:
        return [gettext("No reviews were assigned, so there is no reviewing mark.")]
    weights, counted = parts["weights"], set(parts["counted"])
    whole = sum(weights[name] for name in counted)
    sentences = [
        ngettext(
            "The reviewing mark is %(mark)s out of 100. It has one part:",
            "The reviewing mark is %(mark)s out of 100. It has %(count)s parts:",
            len(counted),
        )
        % {"mark": figure(mark), "count": len(counted)}
    ]
    sentences += [
        _part(name, parts, name in counted, 100 * weights[name] / whole if whole else 0)
        for name in ("completeness", "quality", "helpfulness")
        if weights.get(name)
    ]
    return sentences


def _part(name: str, parts: Mapping[str, Any], is_counted: bool, share: float) -> str:
    figures = {
        "value": figure(parts[name]) if parts[name] is not None else "",
        "share": figure(share, 0),
        "given": parts["given"],
        "asked": parts["asked"],
        "count": parts["ratings"],
    }
    return str(_PARTS[name][0 if is_counted else 1]) % figures


_PARTS: dict[str, tuple[Any, Any]] = {  # where it counts, and where it cannot be told
    "completeness": (
        _(
            "Completeness: %(value)s out of 100 (%(given)s of %(asked)s reviews submitted). "
            "Weight: %(share)s%%."
        ),
        _("Completeness could not be determined, so it does not count."),
    ),
    "quality": (
        _(
            "Quality: %(value)s out of 100. It shows how well the ranking agrees with those of "
            "the other reviewers. 100 is typical of this class or better; 0 is no better than "
            "chance. Limited evidence does not lower it. Weight: %(share)s%%."
        ),
        _("Quality: there was too little evidence to determine it, so it does not count."),
    ),
    "helpfulness": (
        _(
            "Helpfulness: %(value)s out of 100 on average (ratings by authors: %(count)s). "
            "Weight: %(share)s%%."
        ),
        _("Helpfulness: no author has rated a review yet, so it does not count."),
    ),
}

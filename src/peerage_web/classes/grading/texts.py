"""Codes of grading in words: why grades moved, and what a mark for reviewing is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

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
    "option-scale": _("The points scale changed from %(before)s to %(after)s."),
    "option-letters": _("The letter grades changed from %(before)s to %(after)s."),
    "option-seed": _("The random seed changed from %(before)s to %(after)s."),
    "method-chosen": _("Peerage chose a different method: %(before)s before, %(after)s now."),
    "version": _("The version of Peerage changed from %(before)s to %(after)s."),
    "staff-begin": _(
        "Points now follow the staff grades. Before, they only spread the submissions over the "
        "scale. This changes everyone’s points."
    ),
    "staff-end": _(
        "Points followed the staff grades before. Now they only spread the submissions over the "
        "scale. This changes everyone’s points."
    ),
    "roster": _("Rankings and staff grades were the same, but the list of people was different."),
    "inputs-same": _("Both runs used the same rankings and staff grades."),
}


def moved_because(code: str, figures: Mapping[str, Any]) -> str:
    """One reason of a comparison."""
    if code in _COUNTED:
        return str(_COUNTED[code] % {"count": figures["count"]})
    return str(_PLAIN[code]) % {name: _figure(value) for name, value in figures.items()}


def _figure(value: Any) -> str:
    return figure(value) if isinstance(value, float) else str(value)


def figure(value: float | None, most: int = 2) -> str:
    """A number of points as people write it: at most two decimals, none that are zeros; – for none."""
    if value is None:
        return "–"
    text = f"{value:.{most}f}".rstrip("0").rstrip(".") if most else f"{value:.0f}"
    decimals = len(text.partition(".")[2])
    return number_format(float(text), decimals)


def reviewing_sentences(mark: float | None, parts: Mapping[str, Any]) -> list[str]:
    """What a mark for reviewing is made of, for whoever got it: `parts` as `final_grades` has them."""
    if mark is None or not parts:
        return [gettext("No reviews were assigned, so there is no reviewing mark.")]
    weights, counted = parts["weights"], set(parts["counted"])
    whole = sum(weights[name] for name in counted)
    found = [
        ngettext(
            "The reviewing mark is %(mark)s out of 100. It has one part:",
            "The reviewing mark is %(mark)s out of 100. It has %(count)s parts:",
            len(counted),
        )
        % {"mark": figure(mark), "count": len(counted)}
    ]
    found += [
        _part(name, parts, name in counted, 100 * weights[name] / whole if whole else 0)
        for name in ("completeness", "quality", "helpfulness")
        if weights.get(name)
    ]
    return found


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

"""Codes of grading in words: why grades moved, and what a mark for reviewing is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

_COUNTED: dict[str, Any] = {
    "lists-added": ngettext_lazy(
        "%(count)s ranking with it is new", "%(count)s rankings with it are new", "count"
    ),
    "lists-gone": ngettext_lazy(
        "%(count)s ranking with it is gone", "%(count)s rankings with it are gone", "count"
    ),
    "lists-changed": ngettext_lazy(
        "%(count)s ranking with it has changed", "%(count)s rankings with it have changed", "count"
    ),
    "all-lists-added": ngettext_lazy("%(count)s ranking is new.", "%(count)s rankings are new.", "count"),
    "all-lists-gone": ngettext_lazy("%(count)s ranking is gone.", "%(count)s rankings are gone.", "count"),
    "all-lists-changed": ngettext_lazy(
        "%(count)s ranking has changed.", "%(count)s rankings have changed.", "count"
    ),
    "all-staff": ngettext_lazy(
        "The staff grade of %(count)s work was given, changed or taken back.",
        "The staff grades of %(count)s works were given, changed or taken back.",
        "count",
    ),
}
_PLAIN: dict[str, Any] = {
    "staff-added": _("staff graded it: %(after)s"),
    "staff-gone": _("a staff grade was taken back: %(before)s"),
    "staff-changed": _("its staff grade went from %(before)s to %(after)s"),
    "option-method": _("The method was another one: %(before)s, then %(after)s."),
    "option-scale": _("The scale of the points was another one: %(before)s, then %(after)s."),
    "option-letters": _("The letters were others: %(before)s, then %(after)s."),
    "option-seed": _("The seed was another one: %(before)s, then %(after)s."),
    "method-chosen": _("Peerage chose another method: %(before)s, then %(after)s."),
    "version": _("Peerage itself was another version: %(before)s, then %(after)s."),
    "staff-begin": _(
        "Points are tied to what staff gave now; before, they only spread the works over the scale."
        " That moves everybody."
    ),
    "staff-end": _(
        "Points were tied to what staff gave; now they only spread the works over the scale."
        " That moves everybody."
    ),
    "roster": _("Rankings and staff grades were the same; the list of people was another one."),
    "inputs-same": _("Both runs were made from the same rankings and staff grades."),
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
        return [gettext("No reviews were asked for, so there is no mark for reviewing.")]
    weights, counted = parts["weights"], set(parts["counted"])
    whole = sum(weights[name] for name in counted)
    found = [
        ngettext(
            "The mark is %(mark)s of 100, from one part:",
            "The mark is %(mark)s of 100, from %(count)s parts:",
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
            "Completeness: %(given)s of %(asked)s reviews were handed in, which is %(value)s of 100."
            " It counts %(share)s %%."
        ),
        _("Completeness cannot be told, so it does not count."),
    ),
    "quality": (
        _(
            "Quality: %(value)s of 100. It says how far the order agrees with what the other reviewers found:"
            " 100 is as usual in this class or better, 0 is no better than chance. Little evidence costs"
            " nothing. It counts %(share)s %%."
        ),
        _("Quality: there was too little to tell it from, so it does not count."),
    ),
    "helpfulness": (
        _(
            "Helpfulness: authors rated %(count)s of the reviews, on average %(value)s of 100."
            " It counts %(share)s %%."
        ),
        _("Helpfulness: no author has rated a review yet, so it does not count."),
    ),
}

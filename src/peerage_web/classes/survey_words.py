"""The paper's two questions, the choices they offer and the five categories of each, in all languages."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

RECEIVED, GIVEN = "received", "given"
OTHER = "5"  # also where there is no answer

QUESTIONS: dict[str, Any] = {
    RECEIVED: _("Was it helpful to get feedback from other students? Why, or why not?"),
    GIVEN: _("Was it valuable to give feedback to other students? Why, or why not?"),
}
CHOICES: dict[str, Any] = {"yes": _("Yes"), "partly": _("Partly"), "no": _("No")}

# letter of the question in tables, as in the paper
LETTERS = {RECEIVED: "A", GIVEN: "B"}
CATEGORIES: dict[str, dict[str, Any]] = {
    RECEIVED: {
        "1": _("Yes, it was helpful"),
        "2": _("Helpful, but less than feedback of an instructor"),
        "3": _("Somewhat helpful, such as only a few comments"),
        "4": _("No, not really, or not much"),
        OTHER: _("Something else, or no answer"),
    },
    GIVEN: {
        "1": _("Yes, it was a valuable experience"),
        "2": _("Valuable, with reservations, such as the time it took"),
        "3": _("Of little value, such as too difficult"),
        "4": _("Not, or not really, valuable"),
        OTHER: _("Something else, or no answer"),
    },
}


def short(code: str, category: str) -> str:
    """As in the paper's table: A1 to A5, B1 to B5."""
    return LETTERS[code] + category

"""The library's figures on an allocation in plain words, and why there is none."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

SHOWN = 8  # names in a sentence


def quality_in_words(quality: Mapping[str, Any]) -> list[str]:
    """One sentence each: loads, lists, how they hold together, what to expect."""
    if not quality or not quality.get("loads"):
        return []
    return [
        _loads(_counts(quality["loads"])),
        _lists(_counts(quality["lists"])),
        _parts(int(quality["components"])),
        _pairs(float(quality["covered_pairs"]), int(quality["most_together"])),
        *_tightness(float(quality["spectral_gap"]), int(quality["n_items"])),
        *_expected(quality.get("forecast")),
    ]


def _counts(histogram: Mapping[str, int]) -> list[int]:
    return sorted(int(value) for value, number in histogram.items() if number)


def _loads(loads: Sequence[int]) -> str:
    if loads[0] == loads[-1]:
        return ngettext(
            "Each submission gets %(count)d review.", "Each submission gets %(count)d reviews.", loads[0]
        ) % {"count": loads[0]}
    return _("Each submission gets %(least)d to %(most)d reviews.") % {"least": loads[0], "most": loads[-1]}


def _lists(lists: Sequence[int]) -> str:
    if lists[0] == lists[-1]:
        return ngettext(
            "Each reviewer gets %(count)d submission.", "Each reviewer gets %(count)d submissions.", lists[0]
        ) % {"count": lists[0]}
    return _("Each reviewer gets %(least)d to %(most)d submissions.") % {"least": lists[0], "most": lists[-1]}


def _parts(parts: int) -> str:
    if parts <= 1:
        return _("All submissions are connected: any two can be compared, directly or through others.")
    return _(
        "The submissions fall into %(count)d groups that share no reviewers. Grades cannot be "
        "compared between these groups."
    ) % {"count": parts}


def _pairs(covered: float, most: int) -> str:
    share = {"share": round(100 * covered), "most": most}
    if most <= 1:
        return _("%(share)d%% of all pairs of submissions share a reviewer, and no pair shares two.") % share
    return (
        _("%(share)d%% of all pairs of submissions share a reviewer, and no pair shares more than %(most)d.")
        % share
    )


def _tightness(gap: float, submissions: int) -> list[str]:
    """The spectral gap as a share of the most that so many submissions can have."""
    if submissions < 2:
        return []
    share = round(100 * gap * (submissions - 1) / submissions)
    return [
        _("The connections between submissions reach %(share)d%% of the greatest possible strength.")
        % {"share": min(share, 100)}
    ]


def _expected(forecast: Mapping[str, Any] | None) -> list[str]:
    """Beside random lists, where so few simulated classes can tell the two apart."""
    if not forecast:
        return []
    here, random = forecast["tau_error"], forecast["random"]
    figures = {"error": round(here), "random": round(random), "count": forecast["repeats"]}
    if abs(here - random) <= 2 * forecast.get("unsure", 0.0):
        text = _(
            "Expect about %(error)d%% of pairs of submissions in the wrong order, based on "
            "%(count)d simulated classes like this one. They show no clear difference from a "
            "random allocation."
        )
    else:
        text = _(
            "Expect about %(error)d%% of pairs of submissions in the wrong order; with a random "
            "allocation, about %(random)d%%. This is based on %(count)d simulated classes like "
            "this one."
        )
    return [text % figures]


# -- why there is none ------------------------------------------------------------------------------------


def problem_in_words(problem: Mapping[str, Any], names: Mapping[str, str]) -> list[str]:
    """What is in the way, and what would help; `names` are people and submissions as staff call them."""
    who = _listed([names.get(grader, "") for grader in problem.get("graders", ())])
    what = _listed([names.get(item, "") for item in problem.get("items", ())])
    match problem["code"]:
        case "few-submissions":
            return [
                ngettext(
                    "There is %(count)d submission; at least %(least)d are needed.",
                    "There are %(count)d submissions; at least %(least)d are needed.",
                    problem["count"],
                )
                % {"count": problem["count"], "least": problem["least"]}
            ]
        case "many-anchors":
            return [
                _("%(count)d common submissions are too many. Choose at most %(most)d.")
                % {"count": problem["count"], "most": problem["most"]}
            ]
        case "staff-without-reviews":
            return [_("This design relies on staff reviews. Enter the number of reviews per staff member.")]
        case "without-section":
            return [
                _("Sections review separately, but these students have no section: %(who)s.") % {"who": who}
            ]
        case "team-across-sections":
            return [
                _(
                    "Sections review separately, but these students are in teams that span several "
                    "sections: %(who)s."
                )
                % {"who": who}
            ]
        case "rules-clash":
            return _clash(problem, who, what)
    return [_("This allocation is not possible: %(text)s") % {"text": problem.get("text", "")}]


def _clash(problem: Mapping[str, Any], who: str, what: str) -> list[str]:
    sentences = [
        _(
            "These rules cannot all be met: Nobody reviews their own or their team’s submission, "
            "or the same one twice. All submissions get the same number of reviews."
        )
    ]
    if who:
        sentences.append(
            _("There are too few submissions that these people may review: %(who)s.") % {"who": who}
        )
    if what:
        sentences.append(_("Submissions affected: %(what)s.") % {"what": what})
    if problem.get("possible"):
        sentences.append(
            _("It is possible with %(count)d reviews per student.") % {"count": problem["possible"]}
        )
    return sentences


def _listed(names: Sequence[str]) -> str:
    filled = [name for name in names if name]
    text = ", ".join(filled[:SHOWN])
    if len(filled) <= SHOWN:
        return text
    return _("%(names)s and %(count)d more") % {"names": text, "count": len(filled) - SHOWN}

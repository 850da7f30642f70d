"""What was found in a file, arranged for the set-up page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from peerage.reading import formats
from peerage_web.sandbox.contract.jobs import COLUMN_LABELS

SHOWN_COLUMNS = 12  # of the preview, besides those in use
OFFERED = 200  # columns one can choose from
LONGEST = 60  # characters of a cell

FILES = (*formats.TABLE_FILES.values(), *formats.LIST_FILES.values())
KINDS = {layout.name: layout.words.partition(" ")[2] for layout in FILES}
LAYOUTS = {layout.name: layout.words for layout in formats.LAYOUTS.values()}
LAYOUTS["lists"] = "one list per line, best first"
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}

Inspection = Mapping[str, Any]


def facts(inspection: Inspection) -> list[str]:
    """What kind of file it is, in a few words each."""
    kind = KINDS.get(inspection["kind"], str(inspection["kind"]))
    words: list[str] = [kind[:1].upper() + kind[1:]]
    if inspection["layout"] in LAYOUTS:
        words.append(LAYOUTS[inspection["layout"]])
    if inspection["delimiter"]:
        words.append(f"divided by {DELIMITERS.get(inspection['delimiter'], repr(inspection['delimiter']))}")
    if inspection["encoding"] not in (None, "utf-8", "ascii"):
        words.append(f"encoding {inspection['encoding']}")
    return words


def roles(inspection: Inspection) -> list[dict[str, Any]]:
    """One entry per role of the layout: what to call it, and which column it is."""
    header = [name for name in inspection["header"] if name][:OFFERED]
    chosen = inspection["columns"]
    return [
        {
            "name": role,
            "label": COLUMN_LABELS[role],
            "required": role in inspection["required"],
            "main": role in (*inspection["required"], *chosen, *inspection["candidates"], "rank", "score"),
            "column": chosen.get(role),
            "unnamed": chosen.get(role) == "",
            # a column beyond those offered stays choosable while it is chosen
            "offered": header if chosen.get(role) in (None, "", *header) else [*header, chosen[role]],
            "either": role in ("rank", "score") and _lacks_measure(inspection),
            "unsure": role in inspection["candidates"]
            or (role in inspection["required"] and role not in chosen)
            or (role in ("rank", "score") and _lacks_measure(inspection)),
        }
        for role in (*inspection["required"], *inspection["optional"])
        if role in COLUMN_LABELS
    ]


def figures(counts: Mapping[str, Any]) -> list[dict[str, str]]:
    """How much there is."""
    numbers = [("graders", counts["graders"]), ("items", counts["items"]), ("reviews", counts["reviews"])]
    if counts["tasks"] > 1:
        numbers.insert(0, ("tasks", counts["tasks"]))
    entries = [{"label": label, "value": f"{number:,}"} for label, number in numbers]
    entries.append({"label": "reviews per item", "value": f"{counts['reviews_per_item']['median']:g}"})
    return entries


def is_unsure(preview: Mapping[str, Any]) -> bool:
    """Whether all that is wrong is that the columns cannot be told from their names."""
    inspection = preview["inspection"]
    if preview["problem"] is None or not to_choose(inspection):
        return False
    expected = {problem["rule"] for problem in inspection["problems"]}
    broken = {problem["rule"] for problem in preview["problem"]["problems"]}
    return bool(broken) and broken <= expected


def to_choose(inspection: Inspection) -> list[dict[str, Any]]:
    """What the visitor has yet to say: the roles without a column, and what may be meant."""
    chosen, candidates = inspection["columns"], inspection["candidates"]
    missing = [role for role in inspection["required"] if role not in chosen]
    choices = [
        {"label": COLUMN_LABELS[role], "offers": [cut(name) for name in candidates.get(role, [])]}
        for role in dict.fromkeys([*missing, *candidates])
        if role in COLUMN_LABELS
    ]
    if _lacks_measure(inspection):
        choices.append(
            {"label": f"{COLUMN_LABELS['rank']}, or {COLUMN_LABELS['score'].lower()}", "offers": []}
        )
    return choices


def _lacks_measure(inspection: Inspection) -> bool:
    """Whether rows of reviews have neither a rank nor a score; one of them says what is better."""
    measures = ("rank", "score")
    offered = all(role in inspection["optional"] for role in measures)
    chosen = (*inspection["columns"], *inspection["candidates"])
    return offered and bool(inspection["problems"]) and not any(role in chosen for role in measures)


def has_similar_names(preview: Mapping[str, Any]) -> bool:
    """Whether some names may be one, written in several ways."""
    findings = preview["preflight"]["findings"] if preview["preflight"] else ()
    return any(finding["code"] == "labels-alike" for finding in findings)


def asks_direction(preview: Mapping[str, Any]) -> bool:
    """Whether there are numbers that could be read the other way."""
    if preview["direction"] is not None:
        return preview["direction"]["measure"] in ("ranks", "scores")
    return bool(preview["problem"] and preview["problem"]["code"] == "direction")


def table(inspection: Inspection) -> dict[str, Any] | None:
    """The first rows: the columns in use first found in the file's order, then some of the others."""
    header = inspection["header"]
    if not header:
        return None
    used = {
        name: COLUMN_LABELS[role] for role, name in inspection["columns"].items() if role in COLUMN_LABELS
    }
    places = [which for which, name in enumerate(header) if name in used]
    others = [which for which, name in enumerate(header) if name not in used][:SHOWN_COLUMNS]
    shown = sorted(places + others)
    return {
        "columns": [{"name": cut(header[which]), "role": used.get(header[which])} for which in shown],
        "rows": [
            [{"text": cut(row[which]), "used": header[which] in used} for which in shown if which < len(row)]
            for row in inspection["rows"]
        ],
        "hidden": inspection["width"] - len(shown),
    }


def lines(inspection: Inspection) -> list[str]:
    """The first lines of a file that is no table."""
    return [] if inspection["header"] else [cut(row[0], 200) for row in inspection["rows"] if row]


def cut(text: str, most: int = LONGEST) -> str:
    """The text, or its beginning."""
    return text if len(text) <= most else text[: most - 1] + "…"

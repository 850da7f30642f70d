"""What was found in a file, arranged for the set-up page."""

import json
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from peerage.reading import formats
from peerage_web.sandbox.contract.errors import AMBIGUOUS
from peerage_web.sandbox.contract.jobs import COLUMN_LABELS

SHOWN_COLUMNS = 12  # of the preview, besides those in use
LONGEST = 60  # characters of a cell
SHOWN_QUESTIONS = 6
MEASURES = ("rank", "score", "winner", "bottom")  # roles that say which end is best
OPPOSITE = {"left": "right", "right": "left", "tie": "tie"}
VERBS = ("is", "holds", "says", "may", "repeats")

FILES: tuple[formats.Format[Any], ...] = (*formats.TABLE_FILES.values(), *formats.LIST_FILES.values())
KINDS = {layout.name: layout.words.partition(" ")[2] for layout in FILES}
LAYOUTS = {layout.name: layout.words for layout in formats.LAYOUTS.values()}
LAYOUTS["lists"] = "one list per line, best first"
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}

Inspection = Mapping[str, Any]


def facts(preview: Mapping[str, Any]) -> list[str]:
    """What kind of file it is, in a few words each; its layout only where it was read so."""
    inspection = preview["inspection"]
    kind = KINDS.get(inspection["kind"], str(inspection["kind"]))
    words: list[str] = [kind[:1].upper() + kind[1:]]
    if inspection["layout"] in LAYOUTS and preview["reading"] is not None:
        words.append(LAYOUTS[inspection["layout"]])
    if inspection["delimiter"]:
        words.append(f"divided by {DELIMITERS.get(inspection['delimiter'], repr(inspection['delimiter']))}")
    if inspection["encoding"] not in (None, "utf-8", "ascii"):
        words.append(f"encoding {inspection['encoding']}")
    return words


def figures(counts: Mapping[str, Any]) -> list[dict[str, str]]:
    numbers = [("graders", counts["graders"]), ("items", counts["items"]), ("reviews", counts["reviews"])]
    if counts["tasks"] > 1:
        numbers.insert(0, ("tasks", counts["tasks"]))
    entries = [{"label": label, "value": f"{number:,}"} for label, number in numbers]
    entries.append({"label": "reviews per item", "value": f"{counts['reviews_per_item']['median']:g}"})
    return entries


def is_open(preview: Mapping[str, Any]) -> bool:
    """Whether the file can be read in several ways, and nobody has said which one is meant."""
    return preview["problem"] is not None and preview["problem"]["code"] == AMBIGUOUS


def questions(problem: Mapping[str, Any]) -> list[str]:
    """What is open, a sentence each; how to answer is what the readings are for."""
    return [_question(group) for group in problem["groups"][:SHOWN_QUESTIONS]]


def _question(group: Mapping[str, Any]) -> str:
    """`Column “Note”: grades of 1 to 6 are …`; a rule that begins with a verb goes on with the sentence."""
    text = f"{group['value']!r} {group['rule']}" if group["value"] is not None else str(group["rule"])
    if group["column"]:
        colon = "" if text.partition(" ")[0] in VERBS else ":"
        is_cell = group["value"] is not None and group["line"] is not None  # else it is that of the header
        line = f"line {group['line']}, " if is_cell else ""
        text = f"{line}column “{cut(group['column'])}”{colon} {text}"
    return f"{text[:1].upper()}{text[1:]}."


def readings(problem: Mapping[str, Any]) -> dict[str, Any]:
    """The ways to read the file, the most likely first, and the sentences that are the same for all."""
    offers = problem["readings"]
    common = [text for text in offers[0]["sentences"] if all(text in offer["sentences"] for offer in offers)]
    if len(common) == len(offers[0]["sentences"]):  # then there would be nothing left to tell them apart by
        common = []
    return {
        "common": common,
        "offers": [
            {
                "number": number + 1,
                "lead": _lead(offers[number - 1]["reading"], offer["reading"]) if number else "",
                "sentences": [text for text in offer["sentences"] if text not in common],
                "value": json.dumps(offer["reading"], ensure_ascii=False),
            }
            for number, offer in enumerate(offers)
        ],
    }


def _lead(before: Mapping[str, Any], reading: Mapping[str, Any]) -> str:
    """How a reading is introduced beside the one before it."""
    turned = _ends(before) != _ends(reading) and _turned(before, reading)
    return "Or the other way round:" if turned else "Or:"


def _turned(before: Mapping[str, Any], reading: Mapping[str, Any]) -> bool:
    """Whether two readings differ in nothing but which end is best."""
    names = {name for name in {*before, *reading} if before.get(name) != reading.get(name)}
    columns = [
        {role: name for role, name in each.get("columns", {}).items() if role not in MEASURES}
        for each in (before, reading)
    ]
    codes = {code: OPPOSITE[side] for code, side in before.get("winner", {}).items()}
    return (
        names <= {"direction", "winner", "columns"}
        and columns[0] == columns[1]
        and ("winner" not in names or codes == reading.get("winner"))
    )


def _ends(reading: Mapping[str, Any]) -> tuple[Any, ...]:
    """What says which end is best."""
    columns = reading.get("columns", {})
    return reading.get("direction"), reading.get("winner"), *(role in columns for role in MEASURES)


def table(preview: Mapping[str, Any]) -> dict[str, Any] | None:
    """The first rows: the columns in use first found in the file's order, then some of the others."""
    inspection = preview["inspection"]
    header = inspection["header"]
    if not header:
        return None
    labels = {
        name: COLUMN_LABELS[role] for role, name in inspection["columns"].items() if role in COLUMN_LABELS
    }
    items = (preview["reading"] or {}).get("items", ())
    used = {name for name in header if any(name == item or fnmatchcase(name, item) for item in items)}
    used |= labels.keys()
    places = [which for which, name in enumerate(header) if name in labels]
    others = [which for which, name in enumerate(header) if name not in labels][:SHOWN_COLUMNS]
    shown = sorted(places + others)
    return {
        "columns": [
            {"name": cut(header[which]), "role": labels.get(header[which]), "used": header[which] in used}
            for which in shown
        ],
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
    return text if len(text) <= most else text[: most - 1] + "…"

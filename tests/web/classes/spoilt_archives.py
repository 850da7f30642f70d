"""Archives of a course with one thing wrong, and the words in which that is said."""

import hashlib
import json
from collections.abc import Callable
from typing import Any

Content = dict[str, bytes]
Change = Callable[[Content], None]


def in_manifest(**fields: Any) -> Change:
    def change(content: Content) -> None:
        content["course.json"] = json.dumps({**json.loads(content["course.json"]), **fields}).encode()

    return change


def in_table(table: str, change_rows: Callable[[list[dict[str, Any]]], object]) -> Change:
    def change(content: Content) -> None:
        rows = json.loads(content[f"tables/{table}.json"])
        change_rows(rows)
        content[f"tables/{table}.json"] = json.dumps(rows).encode()

    return change


def first(table: str, *, words: str = "", **fields: Any) -> tuple[Change, str]:
    """The first row of a table with one other value, which is named."""
    said = words or f"table {table}, .* column {next(iter(fields))}"
    return in_table(table, lambda rows: rows[0].update(fields)), said


def put(name: str, data: bytes) -> Change:
    return lambda content: content.update({name: data})


def both(*changes: Change) -> Change:
    return lambda content: [change(content) for change in changes] and None


def _submission(content: Content) -> str:
    return next(name for name in content if name.startswith("submissions/"))


def _other_kind(content: Content) -> None:
    """A file that is none of what it is said to be, and whose hash is right."""
    name, data = _submission(content), b"%PDF-1.7 and not an image"
    content[name] = data
    files = json.loads(content["course.json"])["files"]
    in_manifest(files={**files, name: hashlib.sha256(data).hexdigest()})(content)


NEWER = in_manifest(peerage_version="9.9")
DAMAGED, INCONSISTENT = "Table Membership in this archive is damaged", "are inconsistent"
MAY = {
    "due_at": "2026-05-01T10:00:00+00:00",
    "late_until": None,
    "reviews_due_at": "2026-05-08T10:00:00+00:00",
}
WRONG: dict[str, tuple[Change, str]] = {
    "newer": (both(NEWER, in_manifest(format_version=2)), "made with Peerage 9.9, which is newer"),
    "column": (
        both(NEWER, first("Membership", shoe_size=43)[0]),
        "Peerage 9.9 and contains something .*Membership.shoe_size",
    ),
    "table": (both(NEWER, put("tables/Shoe.json", b"[]")), "Peerage 9.9 and contains something .*Shoe"),
    "format": (in_manifest(format="other"), "not a course archive"),
    "length": first("Membership", name="x" * 201),
    "choice": first("Membership", role="emperor"),
    "nul": first("Membership", name="a\0b"),
    "surrogate": first("Membership", name="\ud800"),
    "number": first("Membership", id=True, words=DAMAGED),
    "twice": (in_table("Membership", lambda rows: rows.append(rows[0])), DAMAGED),
    "dangling": first("Membership", person=10**9, words="person refers to a row that does not exist"),
    "fields": (in_table("Membership", lambda rows: rows[0].pop("role")), INCONSISTENT),
    "no course": (put("tables/Course.json", b"[]"), "refers to a row that does not exist"),
    "same place": (
        in_table("Membership", lambda rows: rows[1].update(person=rows[0]["person"])),
        INCONSISTENT,
    ),
    "json": (put("tables/Event.json", b"[{"), "cannot be read"),
    "nan": (put("tables/Event.json", b'[{"id": NaN}]'), "cannot be read"),
    "deep": (put("tables/Event.json", b"[" * 100_000 + b"]" * 100_000), "cannot be read"),
    "date": first("Membership", created_at="0001-01-01T00:00:00+00:00"),
    "lost file": (lambda content: content.pop(_submission(content)) and None, "is missing from the archive"),
    "other file": (lambda content: content.update({_submission(content): b"MZ" + bytes(50)}), "is damaged"),
    "kind": (_other_kind, "is damaged"),
    "review": first("SubmittedRanking", tiers=[[10**9]], words=INCONSISTENT),
    "shape": first("SubmittedRanking", tiers={"a": 1}),
    "address": first("Person", email="none", words="not an e-mail address"),
    # what no form would have taken
    "minutes": first("Assignment", grace_minutes=1441),
    "share": first("Assignment", review_weight=101),
    "release before review": first(
        "Assignment",
        words="“.*” are not in order. The grade release date must be after the review",
        **MAY,
        release_at="2026-05-02T10:00:00+00:00",
    ),
    "reviews without a due date": first(
        "Assignment", words="are not in order. Set the submission due date", **{**MAY, "due_at": None}
    ),
    "file types": first("Assignment", file_kinds=["exe"]),
    "zone": first("Course", time_zone="No/Where"),
    "language": first("Course", language="xx"),
    "months": first("Course", keep_months=9999),
    "scale": first("GradingPlan", scale_high=1e300),
    "method": first("GradingPlan", method="none"),
    "letters": first("GradingPlan", letters="A>=x"),
    "options": first("GradingRun", options=[]),
    "scale of a run": first("GradingRun", options={"scale": "high"}),
    "curve of a run": first("GradingRun", options={"scale": "0:20", "curve": "steep"}),
    "rule": first("GradingPlan", points_rule="rank"),
    "what is shown": first("GradingPlan", shown=["rank"]),
    "what was shown": first("Release", shown=["rank"]),
    "weights": first("GradingRun", plan={"reviewing": "many"}),
    "deduction": first("GradingRun", plan={"late_penalty": -5}),
    "no submission": first("GradingRun", plan={"missing_get": "a car"}),
    "points": first("Override", points=1e9),
    "parts": first("ReleasedGrade", reviewing_parts={"asked": "x"}),
    "verb": first("Event", verb="conquered"),
    "entry": first("Event", data={"count": [1]}),
    "question": first("SurveyQuestion", choices=[1]),
}

"""The pages about grades say what is true."""

import re
from pathlib import Path

from peerage import Feedback, grade
from peerage.grading.graders import FLAGS
from peerage.grading.output.results_json import record

ROOT = Path(__file__).parents[2]
SCHEMA = (ROOT / "docs" / "reference" / "results-json.md").read_text(encoding="utf-8")
GRADES = (ROOT / "docs" / "explanation" / "grades.md").read_text(encoding="utf-8")
FEEDBACK = Feedback.from_columns(list("abc") * 3, list("xxxyyyzzz"), score=[9, 8, 9, 6, 5, 6, 2, 4, 3])
STAFF = {"item": list("xyz"), "score": [9.0, 5.0, 2.0]}


def named(written):
    """Every key of a record but those that are data: methods, letters, parameters, shapes, the pre-flight."""
    for key, value in written.items():
        yield key
        if key in ("params", "parameters", "options", "preflight", "letter_chances", "errors", "ranks"):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, dict):
                yield from named(part)


def test_the_schema_names_every_key():
    source = {"file": "f", "sha256": "0"}
    keys = set(named(record(grade(FEEDBACK, anchors=STAFF, scale="0:10", letters="A>=5,B", source=source))))

    written = set(re.findall(r"`(\w+)`", SCHEMA))

    assert keys - written == set()


def test_the_page_explains_every_flag():
    assert all(f"`{flag}`" in GRADES for flag in FLAGS)

"""A little of each kind of work that a child may be asked for, on small classes, to call every kernel."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from peerage_web.sandbox.contract.jobs import Bounds, JobFiles, JobOptions
from peerage_web.sandbox.work import allocation, archives, grading, reading, rosters
from peerage_web.sandbox.work.rendering import render

BOUNDS = Bounds(reviews=10_000, list_length=100)
TINY, MIDDLING = 8, 450  # items; beyond 400, conjugate gradients and random probes take over
LENGTH = 4
KINDS = {"rank": "orders", "score": "scores", "rank,score": "orders+scores"}  # by the columns of the file
PEOPLE = {
    "student": [f"g{number}" for number in range(24)],
    "group": [f"team{number // 2}" for number in range(24)],
    "section": ["north", "south"] * 12,
    "role": ["student"] * 22 + ["staff"] * 2,
}


def rehearse() -> None:
    """Do it all; what is made is thrown away."""
    with TemporaryDirectory(prefix="peerage-rehearsal-") as folder:
        for kind in KINDS:
            _file_service(Path(folder) / kind, kind)
            middling = _class(Path(folder) / f"{kind}-middling", kind, MIDDLING)
            _call(grading.grade_at_once, middling, JobOptions(), BOUNDS, BOUNDS.reviews)
        _call(reading.check_files, _large_file(Path(folder) / "large"), JobOptions(), BOUNDS, 3)
        (Path(folder) / "input").mkdir()
        _call(reading.write_example, JobFiles(folder, "feedback.csv"), "posters")
        os.chdir("/")  # work on files goes into their folder, which is deleted now
    _before_the_term()


def _file_service(folder: Path, kind: str) -> None:
    files = _class(folder, kind, TINY)
    _call(reading.preview_files, files, JobOptions(), BOUNDS)
    _call(reading.check_files, files, JobOptions(), BOUNDS, 3)
    graded = JobOptions(scale="0:10", letters="A:20%,B:80%", staff_budget=2, compare=("all",))
    for options in (graded, replace(graded, anchors_as_evidence=True)):
        _call(grading.grade_files, files, options, BOUNDS, str(folder / "results"))
    for code in (None, *_codes(kind)):
        _call(grading.grade_at_once, files, JobOptions(method=code), BOUNDS, BOUNDS.reviews)
    grades, made_with = str(folder / "results" / "grades.csv"), graded.to_dict()
    for code in _codes(kind):
        _call(grading.explain_item, files, JobOptions(), BOUNDS, code, {}, grades, made_with, "i1", "a")


def _codes(kind: str) -> Iterator[str]:
    """Every method that is for such a class."""
    from peerage.models.registry import METHODS

    for method in METHODS.values():
        if KINDS[kind] in method.takes:
            yield method.code
            if method.with_reliability is not None:
                yield method.with_reliability


def _before_the_term() -> None:
    _call(allocation.list_methods)
    _uploads_of_staff()
    _renderings()
    from peerage.allocation.designs import DESIGNS

    for design in DESIGNS:
        for submissions in ("student", "group"):
            rules = {"design": design, "submissions": submissions, "anchors": 5}
            _call(allocation.allocate_reviews, PEOPLE, 2, rules)
    _class_allocation()
    for feedback in ("orders", "scores"):
        _call(allocation.plan_workload, {"students": 6, "per_student": 2, "feedback": feedback})


def _class_allocation() -> None:
    """Lists of a class with their forecast, and their repair."""
    from peerage.allocation.designs import DESIGNS

    for size in (TINY, MIDDLING):
        people = {
            "student": [f"m{number}" for number in range(size + 1)],
            "item": [*(f"w{number}" for number in range(size)), None],
            "submits": [*["yes"] * size, "no"],
            "role": [*["student"] * size, "staff"],
        }
        for design in DESIGNS:
            rules = {"design": design, "anchors": 2, "per_staff": 2, "seed": 1, "sections": "pooled"}
            lists = _call(allocation.allocate_class, people, 3, rules, 2)
        away = {**people, "reviews": ["0", *["3"] * size], "conflicts": ["m2", *[None] * size]}
        part = {"roster": away, "planned": lists["reviews"], "done": lists["reviews"][-9:], "above": {}}
        rest = {"per_grader": 3, "coverage": 3, "most_extra": 2, "seed": 1}
        _call(allocation.repair_class, {"parts": [part], **rest})


def _uploads_of_staff() -> None:
    with TemporaryDirectory(prefix="peerage-rehearsal-") as folder:
        (Path(folder) / "input").mkdir()
        (Path(folder) / "input" / "roster.csv").write_text("id,email\n1,a@example.org\n", encoding="utf-8")
        _call(rosters.read_roster_file, JobFiles(folder, "roster.csv"), {})
        (Path(folder) / "input" / "course.zip").write_bytes(b"")
        _call(archives.read_course_archive, JobFiles(folder, "course.zip"), {}, "", 1, 0)
        os.chdir("/")


def _renderings() -> None:
    """A copy of one file of each kind that a class submits."""
    import io

    import pikepdf
    from PIL import Image

    page, image, document = pikepdf.new(), io.BytesIO(), io.BytesIO()
    page.add_blank_page(page_size=(100, 100))
    page.save(document)
    Image.new("RGB", (4, 4)).save(image, "JPEG")
    samples = {
        "pdf": document.getvalue(),
        "image": image.getvalue(),
        "text": b"text",
        "markdown": b"*text*",
        "word": _word_file(),
    }
    for kind, data in samples.items():
        with TemporaryDirectory(prefix="peerage-rehearsal-") as folder:
            (Path(folder) / "input").mkdir()
            (Path(folder) / "input" / "work").write_bytes(data)
            _call(render.render_file, JobFiles(folder, "work"), kind)
            os.chdir("/")


def _word_file() -> bytes:
    """The least that Word would open."""
    import io
    import zipfile

    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    words = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    relations = f'<Relationship Id="r1" Type="{office}" Target="word/document.xml"/>'
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">{relations}</Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{words}"><w:body><w:p><w:r><w:t>text</w:t></w:r></w:p>'
        "</w:body></w:document>",
    }
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return made.getvalue()


def _class(folder: Path, kind: str, size: int) -> JobFiles:
    """Two tasks, in which everybody reviews some; made without luck, and with a tie in every list."""
    inside = folder / "input"
    inside.mkdir(parents=True)
    rows = [
        f"g{grader},i{(grader * 3 + place * (1 + grader % 3)) % size},{_values(kind, max(place, 1))},{task}"
        for task in "ab"
        for grader in range(size)
        for place in range(LENGTH)
    ]
    tables = {
        "feedback.csv": [f"grader,item,{kind},task", *rows],
        "roster.csv": ["student,item", *(f"g{number},i{number}" for number in range(size))],
        "staff.csv": [
            "task,item,score",
            *(f"{task},i{number},{2.5 * (1 + number % 3)}" for task in "ab" for number in range(6)),
        ],
    }
    for name, lines in tables.items():
        (inside / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return JobFiles(str(folder), *tables)


def _large_file(folder: Path) -> JobFiles:
    """Few reviews, but names so long that it is read as large files are."""
    (folder / "input").mkdir(parents=True)
    reviews = [(grader, (grader + place) % 4_500, place) for grader in range(4_500) for place in (1, 2)]
    rows = [f"{grader:0490},{item:0490},{place}" for grader, item, place in reviews]
    text = "\n".join(["grader,item,rank", *rows])
    (folder / "input" / "feedback.csv").write_text(text, encoding="utf-8")
    return JobFiles(str(folder), "feedback.csv")


def _values(kind: str, number: int) -> str:
    """A rank, a score, or both; scores of 1, 2 and 3 might be ranks, and the reader would ask."""
    if kind == "rank,score":
        return f"{number},{2.5 * (LENGTH - number)}"
    return str(number if kind == "rank" else 2.5 * number)


def _call(function: Any, *args: Any) -> Any:
    return function(*args, on_step=lambda step: None)

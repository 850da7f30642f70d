"""Looking at a draft, explaining an item, the example."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from peerage import DataError
from peerage_web.files.models import Job
from peerage_web.files.services.drafts import add_file, create_example_job, create_job, upload_of_text
from peerage_web.files.services.explanations import explain_job_item
from peerage_web.files.services.jobs import start_job
from peerage_web.files.services.previews import preview_job
from peerage_web.files.services.running import run_next
from peerage_web.sandbox.contract import Options
from peerage_web.shared.errors import Refused

pytestmark = pytest.mark.django_db(transaction=True)
EXAMPLES = Path(__file__).parents[3] / "examples"


def pasted(text):
    return create_job(upload=upload_of_text(text), visitor="somebody")


def test_a_good_file_is_described():
    job = pasted("who,paper,mark\nada,x,8\nada,y,9\nbob,x,9\nbob,y,8\n")

    found = preview_job(job=job, options=Options(columns={"grader": "who"}))

    assert found["problem"] is None
    assert found["inspection"]["columns"] == {"grader": "who", "item": "paper", "score": "mark"}
    assert found["preflight"]["counts"]["reviews"] == 4
    assert found["method"]["code"] == "NCS+G"
    assert [finding["code"] for finding in found["preflight"]["findings"]] == ["few-reviews"]


def test_columns_that_cannot_be_told_leave_something_to_show():
    found = preview_job(job=pasted("who,paper,mark\nada,x,1\n"), options=Options())

    assert found["inspection"]["header"] == ["who", "paper", "mark"]
    assert found["preflight"] is None
    assert found["problem"]["detail"] == (
        "pasted.txt: line 1: no column for the grader found; name it with “Who graded”;"
        " the file has 'who', 'paper', 'mark'"
    )


def test_long_cells_and_many_columns_are_cut():
    header = ",".join(["grader", "item", "score", *(f"c{n}" for n in range(997))])
    found = preview_job(job=pasted(f"{header}\n{'x' * 5000}{',1' * 999}\n"), options=Options())

    assert found["inspection"]["width"] == 1000
    assert len(found["inspection"]["header"]) == len(found["inspection"]["rows"][0]) == 300
    assert found["inspection"]["rows"][0][0] == "x" * 199 + "…"


def test_example_is_the_bundled_class():
    job = create_example_job(visitor="somebody")

    for name in ("feedback.csv", "roster.csv"):
        assert (job.folder / "input" / name).read_bytes() == (EXAMPLES / "posters" / name).read_bytes()
    assert sorted(path.name for path in (job.folder / "input").iterdir()) == ["feedback.csv", "roster.csv"]


def test_example_can_be_graded_as_it_is():
    job = create_example_job(visitor="somebody")

    found = preview_job(job=job, options=Options.from_dict(job.options))

    assert (found["problem"], found["preflight"]["warnings"], found["anchors"]) == (None, 0, None)


def test_staff_grades_are_looked_at_too():
    job = create_example_job(visitor="somebody")
    staff = (EXAMPLES / "posters" / "staff.csv").read_bytes()
    add_file(job=job, kind="anchors", upload=SimpleUploadedFile("staff.csv", staff))

    found = preview_job(job=job, options=Options.from_dict(job.options))

    assert found["anchors"] == {"items": 42, "unknown": [], "unknown_count": 0}


@pytest.fixture
def graded() -> Job:
    job = create_example_job(visitor="somebody")
    start_job(job=job, options=Options.from_dict(job.options))
    run_next(worker="test")
    job.refresh_from_db()
    return job


def test_explanation_agrees_with_the_grades(graded):
    results = json.loads((graded.results / "results.json").read_text(encoding="utf-8"))
    best = results["items"][0]

    found = explain_job_item(job=graded, item=best["item"], task="1")

    assert (found["rank"], found["score"]) == (1, pytest.approx(best["score"], rel=1e-9))
    assert len(found["lists"]) == best["reviews"] == len(found["sentences"]) - 2


def test_explanation_is_kept(graded):
    found = explain_job_item(job=graded, item="poster01", task="1")
    (graded.folder / "input" / "feedback.csv").unlink()

    assert explain_job_item(job=graded, item="poster01", task="1") == found


def test_there_is_no_explanation_of_what_is_not_there(graded):
    with pytest.raises(DataError, match="there is no item 'poster99' in this feedback"):
        explain_job_item(job=graded, item="poster99", task="1")


def test_explanation_that_takes_too_long_names_the_command(graded, settings):
    from dataclasses import replace

    settings.LIMITS = replace(settings.LIMITS, direct_seconds=0)

    with pytest.raises(Refused, match=r"peerage explain feedback\.csv poster01$"):
        explain_job_item(job=graded, item="poster01", task="1")


def test_recorded_method_is_refitted_with_learned_priors():
    job = create_job(upload=SimpleUploadedFile("orders.csv", orders()), visitor="somebody")
    start_job(job=job, options=Options())
    run_next(worker="test")
    job.refresh_from_db()
    best = json.loads((job.results / "results.json").read_text(encoding="utf-8"))["items"][0]

    found = explain_job_item(job=job, item=best["item"], task=None)

    assert found["method"] == "PL+G"
    assert found["score"] == pytest.approx(best["score"], rel=1e-6)


def orders():
    rows = [f"g{g},i{(g * 3 + p * (1 + g % 3)) % 8},{p + 1}" for g in range(12) for p in range(3)]
    return "\n".join(["grader,item,rank", *rows]).encode()

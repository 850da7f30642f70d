"""Why one item stands where it stands, on a page and beside the result."""

import json
import random

import pytest
from tests.report.page_rules import broken_rules, parse
from tests.web.graded import CURVE, done_job, small_class

from peerage import explain, grade, read
from peerage_web.files.models import Job
from peerage_web.files.services.explanations import explain_job_item

pytestmark = pytest.mark.django_db


@pytest.fixture
def job():
    return done_job(small_class())


def asked(client, job, headers=None, **what):
    return client.get(f"{job.get_absolute_url()}explain", what, headers=headers)


def test_an_item_of_the_class_is_explained_on_a_page_and_beside_the_result(client, job):
    found = explain_job_item(job=job, item="work3", task="talk")

    page = asked(client, job, item="work3", task="talk").content.decode()

    assert broken_rules(page, served=True) == []
    main = parse(page).all("main")[0]
    lead = [p.content for p in main.all("p")][1:-1]
    reviews = [li.all("span")[0].content for li in main.all("li")]
    assert lead + reviews == found["sentences"]
    assert len(reviews) == len(found["lists"])
    shown = [float(b.content.replace("\N{MINUS SIGN}", "-")) for b in main.all("b")]
    assert shown == [round(one["score_change"], 2) for one in found["lists"]]

    answers = [
        asked(client, job, {"HX-Request": "true"}, item="work3", **task) for task in ({"task": "essay"}, {})
    ]

    part, unnamed = (parse(answer.content.decode()) for answer in answers)
    assert part.all("html", "main", "header") == []
    assert part.all("h2")[0].content == "work3 essay"
    assert [one.content for one in unnamed.all("span")] == [one.content for one in part.all("span")] != []

    for what in ({"item": "work99"}, {"item": "work3", "task": "poster"}, {}):
        assert asked(client, job, **what).status_code == 404

    Job.objects.update(state=Job.State.RUNNING)

    assert asked(client, job, item="work3").status_code == 404  # not before the grades


def test_what_takes_too_long_here_is_left_to_the_command_line(client, job, limits):
    limits(direct_seconds=0)

    answer = asked(client, job, item="work3", task="essay")

    [notice] = [p for p in parse(answer.content.decode()).all("p") if p.attrs.get("class") == "notice"]
    assert answer.status_code == 422
    assert "takes more than 0 seconds" in notice.content
    assert notice.content.endswith("Peerage on your own computer has no such limit.")


def test_own_work_was_not_graded_and_is_not_explained():
    job = done_job(b"grader,item,rank\nada,ada,1\nada,bob,2\nbob,ada,1\nbob,cem,2\ncem,bob,1\ncem,ada,2\n")

    found = explain_job_item(job=job, item="ada", task=None)

    assert sorted(one["grader"] for one in found["lists"]) == ["bob", "cem"]


@pytest.mark.parametrize(("column", "method"), [("score", "NCS+G"), ("rank", "PL+G")])
def test_an_explanation_agrees_with_the_grades_and_is_kept(column, method):
    """The recorded method is fitted again, with the priors that it learned; rank and score are those of
    grades.csv, which has three decimals."""
    rows = [
        f"g{g},i{(g * 3 + p * (1 + g % 3)) % 8},{p + 1 if column == 'rank' else 9 - 2 * p - g % 2}"
        for g in range(12)
        for p in range(3)
    ]
    job = done_job("\n".join([f"grader,item,{column}", *rows]).encode(), options=CURVE)
    best = json.loads((job.results / "results.json").read_text(encoding="utf-8"))["items"][0]

    found = explain_job_item(job=job, item=best["item"], task=None)

    assert (found["method"], found["rank"]) == (method, 1)
    assert found["score"] == pytest.approx(best["score"], rel=1e-4, abs=5e-4)
    assert f"Its grade is {best['points']:.1f} points on 0:10" in found["sentences"][1]
    assert len(found["lists"]) == best["reviews"]
    said = found["sentences"][-best["reviews"] :]  # after place, grade and comparisons, one for every review
    assert [text.split(" (reliability")[0] for text in said] == [one["grader"] for one in found["lists"]]
    assert not any(" (reliability" in text for text in found["sentences"][: -best["reviews"]])

    (job.folder / "input" / "feedback.csv").unlink()
    assert explain_job_item(job=job, item=best["item"], task=None) == found


def test_in_a_class_of_chance_lists_change_the_score_as_the_library_says():
    rng = random.Random(1)
    lists = [rng.sample(range(40), 6) for _ in range(40)]
    rows = [f"g{g},i{item:02},{p + 1}" for g, items in enumerate(lists) for p, item in enumerate(items)]
    data = "\n".join(["grader,item,rank", *rows]).encode()

    found = explain_job_item(job=done_job(data), item="i07", task=None)

    graded = grade(read(data))
    assert graded.posterior.by_chance[0] > 0.1
    expected = explain(graded, "i07").lists
    assert [one["grader"] for one in found["lists"]] == expected["grader"].to_list()
    changes = [one["score_change"] for one in found["lists"]]
    assert changes == pytest.approx(expected["score_change"].to_list(), rel=1e-3)

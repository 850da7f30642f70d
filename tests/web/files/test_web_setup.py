"""A draft: its columns, its pre-flight, its options."""

import re
from pathlib import Path

import polars as pl
import pytest
import xlsxwriter
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from tests.web.at_work import draft
from tests.web.files.draft_page import HTMX, address, preview
from tests.web.page_facts import broken_rules, fields, texts, tree

from peerage_web.files.forms import GradingForm
from peerage_web.files.models import Job
from peerage_web.files.services.drafts import add_file
from peerage_web.files.services.jobs import start_job
from peerage_web.files.views import setup
from peerage_web.sandbox.contract.jobs import JobOptions

pytestmark = pytest.mark.django_db

ODD = b"who;what;how good;remark\na;x;7;fine\na;y;5;\nb;x;6;\nb;y;8;\n"
SCORES = b"grader,item,score\na,x,7\na,y,5\na,z,3\nb,x,6\nb,y,8\nb,z,2\n"
BROKEN = b"grader,item,rank\na,x,one\na,y,two\nb,x,1\nb,,2\n"


def chosen(response, role: str) -> str:
    return fields(response)[f"column_{role}"]


def test_page_shows_found_columns_first_rows_and_the_preflight(client, posters, django_assert_num_queries):
    job = draft(posters)

    with django_assert_num_queries(6):  # one for the job; the look is counted in a transaction of five
        response = client.get(address(job))

    assert broken_rules(response) == []
    roles = ("grader", "item", "rank", "score")
    selects = {node.attrs["name"]: node for node in tree(response).all("select")}
    first_choices = [selects[f"column_{role}"].all("option")[0].content for role in roles]
    assert first_choices == ["grader (found)", "item (found)", "none found", "score (found)"]
    assert {chosen(response, role) for role in roles} == {""}
    assert texts(response, ".role") == ["Who graded", "What was graded", "Score given"]
    assert len(texts(response, "tr")) == 9
    assert texts(response, "dd") == ["148", "42", "996", "24"]
    assert texts(response, "strong") == ["1 grader told the items apart far less than the class did."]


def test_odd_columns_are_asked_for_corrected_and_remembered(client):
    job = draft(ODD)
    response = client.get(address(job))
    assert texts(response, "h3") == ["How should we read this file?"]
    assert texts(response, ".primary") == []

    for one_of_them in ({"column_grader": "who"}, {"column_grader": "who", "column_item": "what"}):
        page = preview(client, job, one_of_them)
        assert (texts(page, "h3"), texts(page, ".bad")) == (["How should we read this file?"], [])
        assert "choose one" in page.content.decode()
    answers = {"column_grader": "who", "column_item": "what", "column_score": "how good"}
    by_script = preview(client, job, {**fields(response), **answers})
    without = client.post(address(job, "preview"), answers, follow=True)

    for response in (by_script, without):
        assert texts(response, ".role") == ["Who graded", "What was graded", "Score given"]
        assert texts(response, ".primary") == ["Grade this class"]
    assert without.redirect_chain == [(address(job), 302)]
    assert {name: fields(without)[name] for name in answers} == answers


def test_broken_file_is_explained_line_by_line_and_one_that_is_no_table_as_a_whole(client):
    response = client.get(address(draft(BROKEN)))

    assert broken_rules(response) == []
    assert texts(response, ".where") == [
        "Line 2, column “rank”",
        "Line 3, column “rank”",
        "Line 5, column “item”",
    ]
    assert texts(response, ".fix")[1:] == [
        "write 1 for the best, 2 for the next, …, say “Values that mean “not reviewed””: two if it means that"
        " there was no review, or the order of such words, best first, with “Words of the scale, best first”",
        "name it or delete the row",
    ]
    assert texts(response, ".button") == ["Choose another file"]

    image = client.get(address(draft(b"\x89PNG\r\n\x1a\n" + bytes(100))))

    assert texts(image, "h3") == ["The file cannot be used as it is"]
    assert [name for name in fields(image) if name.startswith("column_")] == []


def test_sheet_of_a_workbook_can_be_chosen_and_columns_named_before_are_kept(client, tmp_path):
    week = pl.DataFrame({"grader": [*"aabb"], "item": [*"xyxy"], "rank": [1, 2, 1, 2]})
    cover = pl.DataFrame({"note": ["nothing here"]})
    with xlsxwriter.Workbook(tmp_path / "class.xlsx") as book:
        for name, table in (("week1", week), ("cover", cover), ("week2", week)):
            table.write_excel(book, worksheet=name)
    job = draft((tmp_path / "class.xlsx").read_bytes(), "class.xlsx")

    asked = client.get(address(job))
    assert texts(asked, "h3") == ["How should we read this file?"]
    assert (fields(asked)["sheet"], "All sheets together" in texts(asked, "option")) == ("", True)

    response = preview(client, job, {**fields(asked), "column_grader": "grader"})
    assert chosen(response, "grader") == "grader"
    response = preview(client, job, {**fields(response), "sheet": "cover"})
    assert fields(response)["sheet"] == "cover"  # as the visitor says, though it has no reviews
    response = preview(client, job, {**fields(response), "sheet": "week2"})
    assert texts(response, ".role") == ["Who graded", "What was graded", "Rank given (1 is best)"]
    response = preview(client, job, {**fields(response), "column_item": "rank"})

    assert (fields(response)["sheet"], chosen(response, "item")) == ("week2", "rank")


def test_grade_puts_the_job_with_every_option_into_the_queue(client):
    job = draft(SCORES)
    kept_as = {
        "scale": ("0:100", "0:100"),
        "method": ("PL+G", "PL+G"),
        "letters": ("A:20%,B:80%", "A:20%,B:80%"),
        "curve": ("", None),
        "complete": ("", False),
        "peer_scale": ("0:10", "0:10"),
        "staff_budget": ("5", 5),
        "interval": ("0.95", 0.95),
        "compare": ("on", ["all"]),
        "title": ("Poster", "Poster"),
        "anchors_as_evidence": ("on", True),
        "self_reviews": ("keep", "keep"),
    }
    sent = {name: sent for name, (sent, _) in kept_as.items()}

    response = client.post(address(job, "grade"), {**fields(client.get(address(job))), **sent})

    job.refresh_from_db()
    assert (response.status_code, response["Location"], job.state) == (302, address(job), "queued")
    assert {name: (sent[name], job.options[name]) for name in sent} == kept_as
    assert job.options["reading"] == {}


WRONG = [  # and the field beside which it is said
    ("scale", {"scale": "ten"}, "“Scale of the points” 'ten' is not LOW:HIGH, as in 0:100"),
    ("peer_scale", {"peer_scale": "5:1"}, "“Scale the graders used” '5:1' is not LOW:HIGH, as in 0:100"),
    ("letters", {"letters": "A:20%,B:30%"}, "the quotas of the letters must add up to 100 %, not 50 %"),
    (
        "curve",
        {"curve": "75:0"},
        "the standard deviation of the “Curve” '75:0' must be above 0, as in 75:10",
    ),
    ("staff_budget", {"staff_budget": "-1"}, "Ensure this value is greater than or equal to 0."),
    (
        "curve",
        {"curve": "75:10"},
        "the curve 75:10 needs the scale that it is on: add “Scale of the points”: 0:100 if it is that one",
    ),
    (
        "letters",
        {"letters": "A>=85,B", "scale": "0:10"},
        "the cut-point A>=85 lies outside the scale 0:10: give letters and scale in the same points",
    ),
    (
        "",
        {"complete": "on", "scale": "0:10"},
        "“Complete or incomplete only” gives no points and no letters: leave out “Scale of the points”",
    ),
]


def test_library_says_what_is_wrong_with_options_before_anything_starts(client):
    job = draft(SCORES)
    shown = fields(client.get(address(job)))
    for field, sent, message in WRONG:
        response = client.post(address(job, "grade"), {**shown, **sent}, follow=True)

        job.refresh_from_db()
        assert (response.redirect_chain, job.state) == ([(address(job), 302)], "draft")
        assert texts(response, ".errorlist") == ([message] if field else [])
        assert field or message in texts(response, ".notice")[0]
        [refused] = [node for node in tree(response).walk() if node.attrs.get("id") == "refused"]
        assert [link.attrs["href"] for link in refused.all("a")] == ([f"#id_{field}"] if field else [])
        assert {name: fields(response)[name] for name in sent} == sent
        assert broken_rules(response) == []

    preview(client, job, {**shown, "staff_budget": "1"})

    page = client.get(address(job))  # what was wrong is forgotten with the next form
    assert (texts(page, ".errorlist"), fields(page)["staff_budget"]) == ([], "1")


def test_columns_changed_at_the_last_moment_are_checked_and_a_full_service_says_so(client, limits):
    job = draft(SCORES)
    shown = fields(client.get(address(job)))

    wrong = client.post(address(job, "grade"), {**shown, "column_score": "item"}, follow=True)
    limits(jobs=0)
    full = client.post(address(job, "grade"), shown, follow=True)

    assert wrong.redirect_chain == full.redirect_chain == [(address(job), 302)]
    assert texts(wrong, "h3") == ["The file cannot be used as it is"]
    assert texts(full, ".bad")[0].startswith("0 files are waiting to be graded, t")
    job.refresh_from_db()
    assert job.state == "draft"


def test_roster_is_kept_and_taken_away_and_damaged_staff_grades_are_explained(client, settings):
    job = draft(SCORES)
    roster = SimpleUploadedFile("people.csv", b"student,item\na,x\n")

    response = preview(client, job, {"roster": roster})
    assert texts(response, ".file") == ["feedback.csv", "people.csv"]
    response = preview(client, job, {"roster_gone": "on"})

    job.refresh_from_db()
    assert (texts(response, ".file"), job.roster_name) == (["feedback.csv"], "")
    assert [path.name for path in (job.folder / "input").iterdir()] == ["feedback.csv"]

    staff = SimpleUploadedFile("staff.csv", b"item,score\nx,good\n")
    response = preview(client, job, {"anchors": staff})

    assert texts(response, ".where") == ["Line 2, column “score”"]

    settings.LEAST_FREE = 1 << 60  # on the disk
    response = client.post(address(job, "preview"), {"roster": SimpleUploadedFile("people.csv", b"student")})

    assert (response.status_code, response["Retry-After"]) == (503, "15")
    assert sorted(path.name for path in (job.folder / "input").iterdir()) == ["feedback.csv", "staff.csv"]


def test_second_press_leads_to_the_job_and_again_makes_a_draft_of_it(client):
    job = draft(SCORES)
    shown = {**fields(client.get(address(job))), "scale": "0:10"}
    client.post(address(job, "grade"), shown)

    for name in ("grade", "preview"):
        response = client.post(address(job, name), shown)
        assert (response.status_code, response["Location"]) == (302, address(job))
    response = client.post(address(job, "again"))

    again = Job.objects.exclude(pk=job.pk).get()
    assert response["Location"] == address(again)
    assert (again.state, again.options["scale"]) == ("draft", "0:10")
    assert (again.folder / "input" / "feedback.csv").read_bytes() == SCORES


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["form", "htmx"])
@pytest.mark.parametrize("name", ["preview", "grade"])
def test_request_that_is_overtaken_by_the_start_leads_to_the_job(client, monkeypatch, name, headers):
    job = draft(SCORES)
    roster = SimpleUploadedFile("people.csv", b"student,item\na,x\n")
    add_file(job=job, kind="roster", upload=roster)
    filled_in = setup._filled_in

    def start_meanwhile(request, found):
        start_job(job=job, options=JobOptions())
        return filled_in(request, found)

    monkeypatch.setattr(setup, "_filled_in", start_meanwhile)

    response = client.post(address(job, name), {"roster_gone": "on"}, headers=headers)

    assert response.headers.get("Location", response.headers.get("HX-Refresh")) in (address(job), "true")
    assert (job.folder / "input" / "people.csv").exists()
    assert Job.objects.get().roster_name == "people.csv"


def test_stranger_finds_nothing_and_going_back_to_a_form_leads_to_the_page(client):
    job = draft(ODD)
    for name in ("preview", "grade", "again"):
        assert client.post(reverse(name, args=["x" * 43])).status_code == 404
        answer = client.get(address(job, name))
        assert (answer.status_code, answer["Location"]) == (302, address(job))
        assert client.put(address(job, name)).status_code == 405


def test_unnamed_column_of_graders_stays_what_it_is(client):
    job = draft(b",x,y,z\na,1,2,3\nb,2,1,3\nc,1,3,2\n")
    page = client.get(address(job))
    offers = [node.attrs["value"] for node in tree(page).all("button") if "value" in node.attrs]

    response = client.post(address(job, "preview"), {**fields(page), "reading": offers[0]}, follow=True)
    response = preview(client, job, fields(response))

    assert texts(response, ".role") == ["Who graded"]
    assert texts(response, "dd")[:2] == ["3", "3"]


def test_guide_names_the_fields_as_the_page_does():
    guide = (Path(__file__).parents[3] / "docs" / "how-to" / "grade-in-the-browser.md").read_text()
    named = re.findall(r"^\| ([A-Z][^|]+?) \|.*--", guide, re.MULTILINE)

    labels = [field.label for field in GradingForm().fields.values() if field.label]

    assert [name for name in named if not any(label.startswith(name) for label in labels)] == []
    assert len(named) == 11

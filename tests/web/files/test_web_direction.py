"""Which way numbers run, on the page and in the API: shown, asked for, corrected with one click."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from tests.reading import exports
from tests.reading.direction_files import FILES
from tests.web.page_facts import broken_rules, fields, texts

from peerage import DataError, DirectionError, read
from peerage_web.files.models import Job
from peerage_web.files.services.drafts import create_job
from peerage_web.files.services.previews import preview_job
from peerage_web.sandbox.contract import Options

pytestmark = pytest.mark.django_db(transaction=True)

RANKS = b"grader,item,rank\na,x,1\na,y,2\na,z,3\nb,x,1\nb,y,3\nb,z,2\n"
UNCLEAR = RANKS.replace(b"rank", b"score")
MAKERS = ["google_grid_of_ranks", "google_best_second_third", "microsoft_ranking", "qualtrics_rank_order",
          "limesurvey_ranking", "moodle_workshop", "canvas_peer_reviews", "cmt_reviews", "hotcrp_reviews",
          "chains_in_cells", "chains_in_lines", "matrix_under_titles"]  # fmt: skip
HTMX = {"HX-Request": "true"}


def draft(data: bytes) -> Job:
    return create_job(upload=SimpleUploadedFile("feedback.csv", data), visitor="somebody")


def address(job: Job, name: str = "job") -> str:
    return reverse(name, args=[job.key])


def test_the_page_says_what_the_reader_says(client):
    response = client.get(address(draft(RANKS)))

    assert broken_rules(response) == []
    assert texts(response, ".decided") == ["1 is read as best"]
    assert texts(response, ".direction") == [read(RANKS).direction.text.capitalize() + "."]
    assert fields(response)["direction"] == "auto"


def test_it_is_turned_round_with_one_click_and_found_out_again_with_another(client):
    job = draft(RANKS)
    found = fields(client.get(address(job)))

    turned = client.post(address(job, "preview"), {**found, "direction": "scores"}, headers=HTMX)
    again = client.post(address(job, "preview"), {**fields(turned), "direction": "auto"}, headers=HTMX)

    assert texts(turned, ".decided") == ["Larger numbers are read as better"]
    assert fields(turned)["direction"] == "scores"
    assert texts(again, ".decided") == ["1 is read as best"]


def test_what_is_not_plain_is_asked_for_in_the_words_of_the_library(client):
    with pytest.raises(DirectionError) as refusal:
        read(UNCLEAR)

    response = client.get(address(draft(UNCLEAR)))

    assert broken_rules(response) == []
    assert refusal.value.problems[0].rule in response.content.decode()
    assert texts(response, ".decided") == []
    assert fields(response)["direction"] == "auto"


@pytest.mark.parametrize(
    ("choice", "sentence", "kept"),
    [
        ("ranks", "1 is read as best", ("ranks", False)),
        ("scores", "Larger numbers are read as better", ("scores", False)),
        ("lower", "Lower numbers are read as better", ("auto", True)),
    ],
)
def test_the_answer_is_kept(client, choice, sentence, kept):
    job = draft(UNCLEAR)
    found = fields(client.get(address(job)))

    response = client.post(address(job, "preview"), {**found, "direction": choice}, headers=HTMX)

    job.refresh_from_db()
    assert texts(response, ".decided") == [sentence]
    assert (job.options["direction"], job.options["lower_is_better"]) == kept


def test_the_api_asks_and_takes_the_answer(client):
    asked = client.post("/api/v1/check", {"file": SimpleUploadedFile("f.csv", UNCLEAR)})
    told = client.post("/api/v1/check", {"file": SimpleUploadedFile("f.csv", UNCLEAR), "direction": "ranks"})

    assert (asked.status_code, json.loads(asked.content)["type"]) == (422, "/api/v1/problems/direction")
    assert json.loads(told.content)["direction"]["sentence"] == "1 is read as best"


def test_names_written_in_several_ways_can_be_joined(client):
    job = draft(b"grader,item,score\nAda,x,7\nada,y,8\nbob,x,5\nbob,y,9\n")
    response = client.get(address(job))
    assert texts(response, "dd")[0] == "3"

    joined = client.post(address(job, "preview"), {**fields(response), "ids": "fold"}, headers=HTMX)

    assert texts(joined, "dd")[0] == "2"


def test_a_question_is_chosen(client):
    head = 'Timestamp,Email Address,"Quality [P1]","Quality [P2]","Clarity [P1]","Clarity [P2]"\n'
    rows = "".join(f"2026/03/0{day} 10:00:00 AM GMT+1,s{day}@uni.edu,9,7,6,8\n" for day in range(1, 5))
    job = draft((head + rows).encode())
    response = client.get(address(job))
    assert "there are 2 questions about several items" in response.content.decode()

    chosen = client.post(address(job, "preview"), {**fields(response), "question": "Quality"}, headers=HTMX)

    assert texts(chosen, "dd")[:3] == ["4", "2", "8"]
    assert fields(chosen)["question"] == "Quality"


def looked_at(name: str, data: bytes) -> dict[str, Any]:
    job = create_job(upload=SimpleUploadedFile(name, data), visitor="somebody")
    return preview_job(job=job, options=Options())


@pytest.mark.parametrize("maker", MAKERS)
def test_an_export_is_read_on_the_page_as_by_the_library(maker):
    data = getattr(exports, maker)()
    feedback = read(data)

    found = looked_at("export", data)

    assert found["problem"] is None
    assert found["direction"] == feedback.direction.to_dict()
    assert tuple(found["preflight"]["notes"]) == feedback.notes
    assert found["preflight"]["counts"]["reviews"] == feedback.n_entries


@pytest.mark.parametrize("file", [file for file in FILES if not file.given][::7], ids=lambda file: file.name)
def test_a_direction_is_decided_or_asked_for_as_by_the_library(file):
    found = looked_at("feedback.csv", file.text.encode())

    if file.asks:
        with pytest.raises(DataError) as refusal:
            read(file.text.encode())
        assert [one["rule"] for one in found["problem"]["problems"]] == [refusal.value.problems[0].rule]
    else:
        assert found["direction"] == read(file.text.encode()).direction.to_dict()

"""Which way numbers run, on the page and in the API: shown, asked for, corrected with one click."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from tests.web.at_work import draft
from tests.web.page_facts import broken_rules, fields, texts

from peerage import DirectionError, read
from peerage_web.files.models import Job

pytestmark = pytest.mark.django_db

RANKS = b"grader,item,rank\na,x,1\na,y,2\na,z,3\nb,x,1\nb,y,3\nb,z,2\n"
UNCLEAR = RANKS.replace(b"rank", b"score")
HTMX = {"HX-Request": "true"}


def address(job: Job, name: str = "job") -> str:
    return reverse(name, args=[job.key])


def test_the_page_says_what_the_reader_says_and_turns_it_round_with_one_click(client):
    job = draft(RANKS)
    response = client.get(address(job))
    assert broken_rules(response) == []
    assert texts(response, ".decided") == ["1 is read as best"]
    assert texts(response, ".why") == [read(RANKS).direction.why]
    assert fields(response)["direction"] == "auto"

    turned = client.post(address(job, "preview"), {**fields(response), "direction": "scores"}, headers=HTMX)
    again = client.post(address(job, "preview"), {**fields(turned), "direction": "auto"}, headers=HTMX)

    assert texts(turned, ".decided") == ["Larger numbers are read as better"]
    assert fields(turned)["direction"] == "scores"
    assert texts(again, ".decided") == ["1 is read as best"]


ANSWERS = {
    "ranks": ("1 is read as best", ("ranks", False)),
    "scores": ("Larger numbers are read as better", ("scores", False)),
    "lower": ("Lower numbers are read as better", ("auto", True)),
}


def test_what_is_not_plain_is_asked_for_and_the_answer_is_kept(client):
    with pytest.raises(DirectionError) as refusal:
        read(UNCLEAR)
    job = draft(UNCLEAR)

    asked = client.get(address(job))

    assert broken_rules(asked) == []
    assert refusal.value.problems[0].rule in asked.content.decode()
    assert texts(asked, ".decided") == []
    assert fields(asked)["direction"] == "auto"
    for choice, (sentence, kept) in ANSWERS.items():
        given = {**fields(asked), "direction": choice}
        assert texts(client.post(address(job, "preview"), given, headers=HTMX), ".decided") == [sentence]
        job.refresh_from_db()
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

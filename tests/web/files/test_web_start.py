"""The first page: a file, pasted rows, or the example."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from tests.web.page_facts import broken_rules, texts

from peerage_web.files.models import Job

pytestmark = pytest.mark.django_db


def test_page_needs_no_query(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        response = client.get("/")

    assert response.status_code == 200
    assert broken_rules(response) == []


def test_file_becomes_a_draft(client, posters):
    response = client.post("/", {"file": SimpleUploadedFile("our class.csv", posters)})

    job = Job.objects.get()
    assert (response.status_code, response["Location"]) == (302, reverse("job", args=[job.key]))
    assert (job.state, job.file_name, job.file_bytes) == ("draft", "our class.csv", len(posters))
    assert (job.folder / "input" / "our class.csv").read_bytes() == posters
    assert set(client.cookies) <= {"csrftoken"}  # no session


def test_pasted_rows_become_a_draft_but_a_file_counts_for_more(client, posters):
    client.post("/", {"text": "grader,item,rank\na,x,1\na,y,2\n"})
    job = Job.objects.get()
    assert (job.folder / "input" / job.file_name).read_bytes() == b"grader,item,rank\na,x,1\na,y,2\n"

    client.post("/", {"file": SimpleUploadedFile("feedback.csv", posters), "text": "grader,item"})

    assert Job.objects.exclude(pk=job.pk).get().file_name == "feedback.csv"


def test_nothing_given_is_said(client):
    for data in ({}, {"text": " \n "}):
        response = client.post("/", data, follow=True)
        assert response.status_code == 422
        assert response.redirect_chain[0][0].startswith("/?said=")
        assert texts(response, ".notice") == ["Choose a file first, or paste some rows."]
    assert not Job.objects.exists()


def test_too_many_uploads_are_refused_for_a_while(client, limits):
    limits(uploads=1)
    client.post("/", {"text": "grader,item,rank\na,x,1\n"})

    response = client.post("/", {"text": "grader,item,rank\na,x,1\n"})
    example = client.post("/example", follow=True)

    assert (response.status_code, response["Retry-After"]) == (429, "60")
    assert texts(response, ".notice") == [
        "This site accepts at most 1 files per hour from one visitor. Try again later."
    ]
    assert (example.status_code, example["Retry-After"]) == (429, "60")
    assert example.redirect_chain[0][0].startswith("/?said=")


def test_what_is_too_large_is_refused_with_the_command_line(client, limits, settings):
    limits(file_bytes=1 << 20)
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1 << 20

    for data in (
        {"file": SimpleUploadedFile("large.csv", bytes(1 + (1 << 20)))},
        {"text": "x" * (1 + (1 << 20))},
    ):
        response = client.post("/", data)
        assert response.status_code == 413
        assert texts(response, "h1") == ["The file is too large for this site"]
        assert texts(response, ".lead") == [
            "The file is larger than 1 MB, the limit on this site."
            " Peerage on your own computer has no such limit."
        ]


def test_example_is_ready_to_be_graded(client):
    response = client.post("/example")

    job = Job.objects.get()
    assert response["Location"] == reverse("job", args=[job.key])
    assert (job.state, job.file_name) == ("draft", "feedback.csv")


def test_nobody_else_can_make_the_page_say_something(client):
    for said in ("", "x", "Choose a file", "\x00"):
        answer = client.get("/", {"said": said})
        assert (answer.status_code, texts(answer, ".notice")) == (200, [])


def test_form_from_elsewhere_is_explained():
    response = Client(enforce_csrf_checks=True).post("/", {"text": "grader,item,rank\na,x,1\n"})

    assert response.status_code == 403
    assert texts(response, "h1") == ["We could not verify that this form came from our page"]

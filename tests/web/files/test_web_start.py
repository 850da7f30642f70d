"""The first page: a file, pasted rows, or the example; and who may grade a file here."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from tests.web.page_facts import broken_rules, texts

from peerage_web.files.models import Job

pytestmark = pytest.mark.django_db

ROWS = {"text": "grader,item,rank\na,x,1\na,y,2\n"}


def test_page_needs_no_query(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        response = client.get("/")

    assert response.status_code == 200
    assert broken_rules(response) == []


def test_a_file_pasted_rows_and_the_example_become_drafts_and_a_file_counts_for_more(client, posters):
    client.post("/", ROWS)
    both = {"file": SimpleUploadedFile("our class.csv", posters), "text": "grader,item"}
    response = client.post("/", both)
    example = client.post("/example")

    pasted, job, copied = Job.objects.order_by("created_at")
    assert (pasted.folder / "input" / pasted.file_name).read_text() == ROWS["text"]
    assert (response.status_code, response["Location"]) == (302, reverse("job", args=[job.key]))
    assert (job.state, job.file_name, job.file_bytes) == ("draft", "our class.csv", len(posters))
    assert (job.folder / "input" / "our class.csv").read_bytes() == posters
    assert example["Location"] == reverse("job", args=[copied.key])
    assert set(client.cookies) <= {"csrftoken"}  # no session


def test_nothing_given_is_said_and_nobody_else_can_make_the_page_say_something(client):
    response = client.post("/", {"text": " \n "}, follow=True)

    assert response.status_code == 422
    assert response.redirect_chain[0][0].startswith("/?said=")
    assert texts(response, ".notice") == ["Choose a file first, or paste some rows."]
    assert not Job.objects.exists()
    for said in ("", "Choose a file", "\x00"):
        answer = client.get("/", {"said": said})
        assert (answer.status_code, texts(answer, ".notice")) == (200, [])


def test_too_many_uploads_are_refused_for_a_while(client, limits):
    limits(uploads=1)
    client.post("/", ROWS)

    response = client.post("/", ROWS)
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
        assert texts(response, ".lead") == [
            "The file is larger than 1 MB, the limit on this site."
            " Peerage on your own computer has no such limit."
        ]


def test_form_from_elsewhere_is_explained():
    response = Client(enforce_csrf_checks=True).post("/", ROWS)

    assert response.status_code == 403
    assert texts(response, "h1") == ["We could not verify that this form came from our page"]


# -- who may grade a file here ----------------------------------------------------------------------------


def test_where_people_sign_in_a_stranger_uploads_nothing_and_a_job_has_its_owner(
    client, settings, django_user_model
):
    teacher = django_user_model.objects.create_user("teacher", password="a long word")
    client.force_login(teacher)
    client.post("/", ROWS)
    assert Job.objects.get().owner is None  # what everybody may do is nobody's
    client.logout()
    settings.GRADE_A_FILE = "sign-in"

    response = client.get("/", follow=True)
    refused = client.post("/", ROWS)
    assert response.redirect_chain == [("/sign-in?next=/", 302)]
    assert broken_rules(response) == []
    assert (refused.status_code, Job.objects.count()) == (302, 1)

    wrong = client.post("/sign-in", {"username": "teacher", "password": "wrong"})
    assert texts(wrong, ".notice") == ["The e-mail address and password do not match. Check both."]
    right = client.post("/sign-in", {"username": "teacher", "password": "a long word", "next": "/"})
    assert texts(client.get("/"), ".plain") == ["Sign out"]
    client.post("/", ROWS)
    assert (right.status_code, right["Location"]) == (302, "/")
    assert Job.objects.latest("created_at").owner == teacher
    client.post("/sign-out")
    assert client.get("/").status_code == 302


def test_page_that_is_off_is_gone(client, settings):
    settings.GRADE_A_FILE = "off"

    for verb, address in (("get", "/"), ("post", "/"), ("post", "/example")):
        response = getattr(client, verb)(address)
        assert response.status_code == 404
        assert texts(response, ".lead") == ["Grading files in the browser is turned off on this site."]

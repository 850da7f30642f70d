"""Who may grade a file here: everybody, people with an account, or nobody."""

from __future__ import annotations

import pytest
from tests.web.page_facts import broken_rules, texts

from peerage_web.files.models import Job

pytestmark = pytest.mark.django_db

ROWS = {"text": "grader,item,rank\na,x,1\na,y,2\nb,x,1\nb,y,2\n"}


@pytest.fixture
def teacher(django_user_model):
    return django_user_model.objects.create_user("teacher", password="a long word")


@pytest.fixture
def _sign_in(settings):
    settings.GRADE_A_FILE = "sign-in"


@pytest.mark.usefixtures("_sign_in")
def test_stranger_is_asked_to_sign_in_and_uploads_nothing(client):
    response = client.get("/", follow=True)
    refused = client.post("/", ROWS)

    assert response.redirect_chain == [("/sign-in?next=/", 302)]
    assert broken_rules(response) == []
    assert texts(response, "h1") == ["Sign in"]
    assert (refused.status_code, Job.objects.count()) == (302, 0)


@pytest.mark.usefixtures("_sign_in")
def test_signing_in_leads_to_where_one_wanted_to_go_until_one_signs_out(client, teacher):
    wrong = client.post("/sign-in", {"username": "teacher", "password": "wrong"})
    assert wrong.status_code == 200
    assert texts(wrong, ".notice") == ["The e-mail address and password do not match. Check both."]

    right = client.post("/sign-in", {"username": "teacher", "password": "a long word", "next": "/"})
    assert (right.status_code, right["Location"]) == (302, "/")
    assert texts(client.get("/"), ".plain") == ["Sign out"]
    client.post("/", ROWS)
    assert Job.objects.get().owner == teacher

    client.post("/sign-out")
    assert client.get("/").status_code == 302


def test_public_job_has_no_owner(client, teacher):
    client.force_login(teacher)
    client.post("/", ROWS)

    assert Job.objects.get().owner is None


def test_page_that_is_off_is_gone(client, settings):
    settings.GRADE_A_FILE = "off"

    for verb, address in (("get", "/"), ("post", "/"), ("post", "/example")):
        response = getattr(client, verb)(address)
        assert response.status_code == 404
        assert texts(response, ".lead") == ["Grading files in the browser is turned off on this site."]

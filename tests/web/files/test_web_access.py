"""Who may grade a file here: everybody, people with an account, or nobody."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone
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
def test_stranger_is_asked_to_sign_in(client):
    response = client.get("/", follow=True)

    assert response.redirect_chain == [("/sign-in?next=/", 302)]
    assert broken_rules(response) == []
    assert texts(response, "h1") == ["Sign in"]


@pytest.mark.usefixtures("_sign_in")
def test_upload_of_a_stranger_is_not_kept(client):
    response = client.post("/", ROWS)

    assert (response.status_code, Job.objects.count()) == (302, 0)


@pytest.mark.usefixtures("_sign_in")
def test_signing_in_leads_to_where_one_wanted_to_go(client, teacher):
    response = client.post("/sign-in", {"username": "teacher", "password": "a long word", "next": "/"})

    assert (response.status_code, response["Location"]) == (302, "/")


@pytest.mark.usefixtures("_sign_in")
def test_wrong_password_is_said(client, teacher):
    response = client.post("/sign-in", {"username": "teacher", "password": "wrong"})

    assert response.status_code == 200
    assert texts(response, ".notice") == [
        "This e-mail address and password do not belong together. Both could be wrong."
    ]


@pytest.mark.usefixtures("_sign_in")
def test_job_is_for_its_owner_alone(client, teacher, django_user_model):
    client.force_login(teacher)
    client.post("/", ROWS)
    job = Job.objects.get()
    assert (job.owner, client.get(job.get_absolute_url()).status_code) == (teacher, 200)

    client.force_login(django_user_model.objects.create_user("colleague"))

    assert client.get(job.get_absolute_url()).status_code == 404


@pytest.mark.usefixtures("_sign_in")
def test_one_can_sign_out(client, teacher):
    client.force_login(teacher)
    assert texts(client.get("/"), ".plain") == ["Sign out"]

    client.post("/sign-out")

    assert client.get("/").status_code == 302


def test_public_job_has_no_owner(client, teacher):
    client.force_login(teacher)
    client.post("/", ROWS)

    assert Job.objects.get().owner is None


@pytest.mark.parametrize(("verb", "address"), [("get", "/"), ("post", "/"), ("post", "/example")])
def test_page_that_is_off_is_gone(client, settings, verb, address):
    settings.GRADE_A_FILE = "off"

    response = getattr(client, verb)(address)

    assert response.status_code == 404
    assert texts(response, ".lead") == ["Grading files in the browser is switched off on this service."]


def test_expired_job_is_gone_before_it_is_deleted(client, posters):
    client.post("/", {"file": SimpleUploadedFile("feedback.csv", posters)})
    job = Job.objects.get()
    Job.objects.update(expires_at=timezone.now())

    assert client.get(reverse("job", args=[job.key])).status_code == 404


@pytest.mark.parametrize("key", ["%00", "x", "%F0%9F%8D%90", "a" * 43])
def test_what_is_no_key_leads_nowhere(client, key):
    for rest in ("", "progress", "files/grades.csv", "explain?item=x"):
        assert client.get(f"/j/{key}/{rest}").status_code == 404

"""People who may sign in: `peerage user` and the service behind it."""

import pytest
from django.contrib.auth import authenticate
from django.core.files.uploadedfile import SimpleUploadedFile
from typer.testing import CliRunner

from peerage_web.accounts.models import Person
from peerage_web.accounts.services.users import add_user, find_user
from peerage_web.commands.user import user
from peerage_web.files.models import Job
from peerage_web.files.services.drafts import create_job
from peerage_web.files.services.jobs import delete_jobs_of
from peerage_web.shared.errors import Refused

pytestmark = pytest.mark.django_db

GOOD = "four plain words here"


def run(*args: str, typed: str = ""):
    return CliRunner().invoke(user, list(args), input=typed)


@pytest.mark.parametrize("name", ["", "ta", "x" * 250 + "@example.org", "a\x00b@example.org"])
def test_odd_names_are_refused(name):
    with pytest.raises(Refused):
        add_user(email=name, password=GOOD)


@pytest.mark.parametrize(
    ("password", "reason"),
    [
        ("short", "This password is too short. It must contain at least 10 characters."),
        ("password123", "This password is too common."),
        ("83724650917", "This password is entirely numeric."),
        ("teacher-one", "The password is too similar to the email."),
    ],
)
def test_weak_passwords_are_refused(password, reason):
    with pytest.raises(Refused) as refused:
        add_user(email="teacher-one@example.org", password=password)

    assert str(refused.value) == reason
    assert not Person.objects.exists()


def test_names_that_differ_in_case_only_are_refused():
    add_user(email="ta@example.org", password=GOOD)

    with pytest.raises(Refused, match=r"There is already an account 'ta@example\.org'"):
        add_user(email="TA@example.org", password=GOOD)


def test_removed_user_takes_their_files_along(settings):
    owner = add_user(email="ta@example.org", password=GOOD)
    create_job(upload=SimpleUploadedFile("mine.csv", b"x"), visitor="v", owner=owner)
    kept = create_job(upload=SimpleUploadedFile("other.csv", b"x"), visitor="v")

    assert delete_jobs_of(owner=find_user(email="ta@example.org")) == 1

    assert list(Job.objects.all()) == [kept]
    assert list(settings.JOBS.iterdir()) == [kept.folder]


# -- the command ----------------------------------------------------------------------------------


def test_add_asks_for_the_password_twice():
    answer = run("add", "ta@example.org", typed=f"{GOOD}\nanother\n{GOOD}\n{GOOD}\n")

    assert answer.exit_code == 0
    assert answer.stdout.splitlines()[-1] == "Added: ta@example.org"
    assert GOOD not in answer.output
    assert authenticate(username="ta@example.org", password=GOOD) is not None


def test_passwords_come_from_standard_input_and_are_changed_and_a_user_is_removed():
    nothing = run("add", "ta@example.org", "--password-stdin")
    added = run("add", "ta@example.org", "--password-stdin", typed=GOOD + "\n")
    assert (nothing.exit_code, nothing.stderr) == (2, "Error: there is no password on standard input\n")
    assert (added.exit_code, added.stdout) == (0, "Added: ta@example.org\n")
    assert authenticate(username="ta@example.org", password=GOOD) == Person.objects.get()

    changed = run("password", "ta@example.org", "--password-stdin", typed="other words than before\n")
    assert changed.stdout == "Changed: the password of ta@example.org\n"
    assert authenticate(username="ta@example.org", password=GOOD) is None
    assert authenticate(username="ta@example.org", password="other words than before") is not None

    assert run("remove", "ta@example.org").stdout == "Removed: ta@example.org, with 0 uploaded files\n"
    assert not Person.objects.exists()


def test_list_shows_who_there_is_or_what_to_do():
    assert run("list").stdout == "There are no users. Add one: peerage user add EMAIL\n"
    for name in ("teacher@example.org", "ta@example.org"):
        add_user(email=name, password=GOOD)

    shown = run("list").stdout.splitlines()

    assert shown == ["ta@example.org       never signed in", "teacher@example.org  never signed in"]


@pytest.mark.parametrize("command", [["remove", "nobody"], ["password", "nobody", "--password-stdin"]])
def test_unknown_names_fail(command):
    answer = run(*command, typed=GOOD + "\n")

    unknown = "Error: There is no account 'nobody'. To see all accounts, run: peerage user list\n"
    assert (answer.exit_code, answer.stderr) == (2, unknown)

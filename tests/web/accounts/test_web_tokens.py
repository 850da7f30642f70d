"""Tokens of the API: `peerage token` and the service behind it."""

from datetime import timedelta

import pytest
from django.utils import timezone
from typer.testing import CliRunner

from peerage_web.accounts.models import ApiToken
from peerage_web.accounts.services.tokens import add_token, find_token, revoke_token
from peerage_web.commands.token import token
from peerage_web.shared.errors import Refused

pytestmark = pytest.mark.django_db


def run(*args: str):
    return CliRunner().invoke(token, list(args))


def test_token_is_known_again_though_it_is_not_kept(django_assert_num_queries):
    text = add_token(name="course", days=90)

    assert text[:4] == "prg_"
    assert find_token(text=text) == ApiToken.objects.get()
    assert find_token(text=text + "x") is None
    kept = ApiToken.objects.values_list().get()
    assert not any(text in str(value) for value in kept)
    assert ApiToken.objects.get().prefix == text[:12]
    with django_assert_num_queries(1):  # the day of its use is written once a day
        find_token(text=text)


def test_name_of_a_dead_token_can_be_used_again():
    for change in ({"revoked_at": timezone.now()}, {"expires_at": timezone.now()}):
        old = add_token(name="course", days=90)
        ApiToken.objects.update(**change)

        new = add_token(name="course", days=90)

        assert (find_token(text=old), find_token(text=new)) == (None, ApiToken.objects.get())
        ApiToken.objects.all().delete()


@pytest.mark.parametrize(("name", "days"), [("", 90), ("x" * 101, 90), ("course", 0), ("course", 3661)])
def test_odd_tokens_are_refused(name, days):
    with pytest.raises(Refused):
        add_token(name=name, days=days)


# -- the command ----------------------------------------------------------------------------------


def test_add_prints_the_token_alone_on_stdout():
    answer = run("add", "course", "--days", "30")

    made = find_token(text=answer.stdout.strip())
    assert made is not None
    assert timedelta(days=29) < made.expires_at - timezone.now() <= timedelta(days=30)
    assert "not shown again" in answer.stderr
    again = run("add", "course")
    assert (again.exit_code, again.stdout) == (2, "")
    assert again.stderr.startswith("Error: There is already a token named 'course'.")


def test_list_shows_state_and_use():
    for name in ("new", "old", "gone"):
        add_token(name=name, days=10)
    ApiToken.objects.filter(name="old").update(expires_at=timezone.now(), used_at=timezone.now())
    revoke_token(name="gone")

    lines = run("list").stdout.splitlines()

    today, later = timezone.now(), timezone.now() + timedelta(days=10)
    states = [line.split("…  ")[1] for line in lines]
    assert states == [
        f"until {later:%Y-%m-%d}, never used",
        f"expired {today:%Y-%m-%d}, last used {today:%Y-%m-%d}",
        f"revoked {today:%Y-%m-%d}, never used",
    ]


def test_revoke_says_what_it_did():
    text = add_token(name="course", days=90)

    answer = run("revoke", "course")

    assert (answer.exit_code, answer.stdout) == (0, "Revoked: course\n")
    assert find_token(text=text) is None
    with pytest.raises(Refused, match=r"was revoked on .* already"):
        revoke_token(name="course")

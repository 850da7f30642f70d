"""Signing in where an instance asks for it: guesses are slowed down, and nobody is kept out by them."""

import pytest
from django.test import Client
from tests.web.page_facts import broken_rules, texts

from peerage_web.accounts.services.sign_in import MOST, known_browser, make_browser_mark
from peerage_web.files.models import Job

pytestmark = pytest.mark.django_db
GOOD = "four plain words here"
HERE, THERE = "192.0.2.1", "198.51.100.7"


@pytest.fixture(autouse=True)
def _instance(settings):
    settings.GRADE_A_FILE = "sign-in"


@pytest.fixture
def teacher(django_user_model):
    return django_user_model.objects.create_user("teacher", password=GOOD)


def sign_in(client, password, name="teacher", address=HERE):
    return client.post("/sign-in", {"username": name, "password": password}, REMOTE_ADDR=address)


def guess(times, name="teacher", address=THERE):
    stranger = Client()
    return [sign_in(stranger, "wrong", name, address).status_code for _ in range(times)]


def test_guesses_are_slowed_down_and_nobody_else_by_them(teacher, django_user_model):
    django_user_model.objects.create_user("colleague", password=GOOD)
    most = MOST["sign-in-name-here"]
    right = [sign_in(Client(), GOOD, address=THERE).status_code for _ in range(most + 2)]

    assert right == [302] * (most + 2), "right passwords do not count"
    assert guess(most + 3) == [200] * most + [429] * 3

    page = sign_in(Client(), GOOD, address=THERE)
    assert page.status_code == 429  # the right one is no exception, or it could be told from the others
    assert page.headers["Retry-After"] == "900"
    assert broken_rules(page) == []
    assert "Wait 15 minutes" in texts(page, ".notice")[0]
    elsewhere, colleague = sign_in(Client(), GOOD), sign_in(Client(), GOOD, "colleague", THERE)
    assert (elsewhere.status_code, colleague.status_code) == (302, 302)


def test_a_name_is_counted_as_it_is_compared(teacher):
    most = MOST["sign-in-name-here"]
    spelt = ["TEACHER", " teacher", "ｔｅａｃｈｅｒ", "ｔeacher", "Ｔｅａｃｈｅｒ"]

    assert sign_in(Client(), GOOD, spelt[2]).status_code == 302  # it opens the account
    codes = [guess(1, spelt[number % len(spelt)])[0] for number in range(most + 2)]

    assert codes == [200] * most + [429] * 2


def test_one_address_cannot_go_through_many_names(teacher, django_user_model):
    most = MOST["sign-in-here"]
    for number in range(most):
        django_user_model.objects.create_user(f"name{number}")
    codes = [guess(1, f"name{number}")[0] for number in range(most)]

    assert codes == [200] * most
    assert guess(1) == guess(1, "nobody") == [429]  # which does not tell who has an account


def test_made_up_names_keep_nobody_out_and_have_a_limit_of_their_own(teacher, monkeypatch):
    monkeypatch.setitem(MOST, "sign-in-nobody-here", MOST["sign-in-here"] + 10)
    codes = [guess(1, f"made up {number}\0")[0] for number in range(MOST["sign-in-nobody-here"] + 1)]

    assert (codes[-2:], set(codes[:-1])) == ([200, 429], {200})
    assert sign_in(Client(), GOOD, address=THERE).status_code == 302


def test_a_browser_that_is_known_is_never_kept_out_and_cannot_guess_either(client, teacher, monkeypatch):
    monkeypatch.setitem(MOST, "sign-in-name", 20)
    sign_in(client, GOOD)
    client.post("/sign-out")
    for number in range(MOST["sign-in-name"] + 5):  # from everywhere, and from here too
        guess(1, address=f"203.0.113.{number}")
    guess(MOST["sign-in-here"] + 1, address=HERE)
    assert sign_in(Client(), GOOD, address="192.0.2.200").status_code == 429

    assert sign_in(client, GOOD).status_code == 302
    client.post("/sign-out")
    codes = [sign_in(client, "wrong").status_code for _ in range(MOST["sign-in-known"] + 1)]
    assert codes[-1] == 429


def test_the_mark_is_for_one_name_and_cannot_be_made_up():
    mark = make_browser_mark("Teacher")

    assert known_browser(mark, "teacher") is not None
    assert known_browser(mark, "other") is None
    assert known_browser(mark[:-1] + "x", "teacher") is None
    assert known_browser("", "teacher") is None


def test_without_accounts_there_is_nothing_to_sign_in_to(client, settings, teacher):
    client.force_login(teacher)
    settings.CLASSES = False
    wrong = []
    for mode in ("public", "off"):
        settings.GRADE_A_FILE = mode
        for path in ("/sign-in", "/sign-out", "/password", "/password/changed", "/results"):
            got = client.get(path).status_code, client.post(path).status_code
            if got not in ((404, 404), (404, 405)):
                wrong.append((mode, path, got))
    assert wrong == []


def test_password_can_be_changed(client, teacher):
    sign_in(client, GOOD)
    elsewhere = Client()
    sign_in(elsewhere, GOOD)

    done = client.post("/password", {"old": GOOD, "new": "another four words", "again": "another four words"})

    assert (done.status_code, done["Location"]) == (302, "/password/changed")
    assert client.get("/password/changed").status_code == 200
    assert elsewhere.get("/password").status_code == 302  # signed out
    assert sign_in(Client(), "another four words").status_code == 302


@pytest.mark.parametrize(
    ("old", "new", "again", "said"),
    [
        ("wrong", "another four words", "another four words", "This is not your current password."),
        (GOOD, "another four words", "another", "The two passwords do not match."),
        (GOOD, "short", "short", "This password is too short. It must contain at least 10 characters."),
    ],
)
def test_password_that_cannot_be_meant_is_refused(client, teacher, old, new, again, said):
    sign_in(client, GOOD)

    page = client.post("/password", {"old": old, "new": new, "again": again})

    assert page.status_code == 422
    assert broken_rules(page) == []
    assert texts(page, ".errorlist") == [said]
    assert sign_in(Client(), GOOD).status_code == 302


def test_the_old_password_cannot_be_guessed_either(client, teacher):
    client.force_login(teacher)
    new = {"new": "another four words", "again": "another four words"}
    right, most = {"old": GOOD, **new, "again": "x"}, MOST["old-password"]

    assert {client.post("/password", right).status_code for _ in range(most + 1)} == {422}  # none is counted
    pages = [client.post("/password", {"old": f"wrong {number}", **new}) for number in range(most + 1)]

    assert [page.status_code for page in pages] == [422] * most + [429]
    assert broken_rules(pages[-1]) == []
    assert client.post("/password", {"old": GOOD, **new}).status_code == 429


def test_own_results_are_listed_and_no_others(client, teacher, django_user_model, django_assert_num_queries):
    other = django_user_model.objects.create_user("colleague")
    Job.objects.create(visitor="v", owner=teacher, file_name="mine.csv", name="Essay 2")
    Job.objects.create(visitor="v", owner=other, file_name="theirs.csv")
    client.force_login(teacher)

    page = client.get("/results")

    assert broken_rules(page) == []
    assert texts(page, "th")[4:] == ["Essay 2"]
    assert "theirs" not in page.content.decode()
    Job.objects.bulk_create(Job(visitor="v", owner=teacher, file_name="a.csv") for _ in range(3))
    with django_assert_num_queries(3):  # session, user, jobs
        client.get("/results")

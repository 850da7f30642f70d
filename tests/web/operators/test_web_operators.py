"""The page of operators: who may see it, what it says, and that a test mail is really sent."""

import json
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from tests.web.accounts.test_web_mail import mailbox
from tests.web.classes import cast as casting
from tests.web.classes.addresses import addresses

from peerage_web.accounts.models import Mail, Person
from peerage_web.accounts.services.users import make_operator
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.courses.models import Course
from peerage_web.classes.submissions.models import SubmissionFile
from peerage_web.files.models import Job
from peerage_web.shared.errors import Refused

pytestmark = pytest.mark.django_db
ADDRESSES = addresses("peerage_web.operators.")


@pytest.fixture(autouse=True)
def places(settings, data_folder):
    settings.MAIL_FOLDER = settings.DATA / "mail"
    settings.EMAIL_BACKEND = "peerage_web.accounts.mail_folder.EmailBackend"
    settings.EMAIL_FILE_PATH = str(settings.MAIL_FOLDER)


@pytest.fixture
def cast(places, db):
    return casting.Cast()


@pytest.fixture
def operator(cast) -> Client:
    return cast.client("operator")


def page_of(client: Client) -> str:
    answer = client.get(reverse("operator"))
    assert answer.status_code == 200
    return answer.content.decode()


# -- who ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", [None, "stranger", "student", "instructor", "assistant", "observer"])
def test_nobody_else_finds_it(cast, who):
    Person.objects.filter(pk=cast.people["instructor"].pk).update(may_create_courses=True)  # no operator yet
    client = cast.client(who)
    for address in ADDRESSES:
        path = address.path(number=cast.course.pk)
        answers = [client.generic(method, path) for method in ("GET", "POST")]
        taken = [one for one in answers if one.status_code != 405]
        assert taken, address.name
        for one in taken:
            assert one["Location"].startswith("/sign-in") if who is None else one.status_code == 404

    assert not Mail.objects.exists()


def test_operators_do(cast, operator):
    for address in ADDRESSES:
        number = cast.people["stranger"].pk if "course-creators" in address.route else cast.course.pk
        path = address.path(number=number)
        codes = {operator.get(path).status_code, operator.post(path).status_code}
        assert codes <= {200, 302, 405, 422}, address.name
        assert codes & {200, 302}, address.name

    assert reverse("operator") in operator.get(reverse("courses")).content.decode()
    assert reverse("operator") not in cast.client("instructor").get(reverse("courses")).content.decode()


def test_the_last_operator_stays_one(cast):
    with pytest.raises(Refused, match="only administrator"):
        make_operator(email="operator@example.org", on=False)
    make_operator(email="stranger@example.org", on=True)
    make_operator(email="operator@example.org", on=False)

    found = Person.objects.filter(is_operator=True)
    assert [(one.email, one.may_create_courses) for one in found] == [("stranger@example.org", True)]


# -- health -------------------------------------------------------------------------------------------


def test_it_says_what_waits_and_what_failed(cast, operator):
    now = timezone.now()
    common = {"visitor": "x", "file_name": "secret-name.csv"}
    failed = {"state": "failed", **common}
    Job.objects.create(state="queued", queued_at=now - timedelta(hours=3), **common)
    Job.objects.create(state="running", **common)
    for _ in range(2):
        Job.objects.create(finished_at=now, problem={"title": "It took too long"}, **failed)
    Job.objects.create(finished_at=now - timedelta(days=8), problem={"title": "Long ago"}, **failed)
    casting.submit(cast.assignment, cast.students[0])
    SubmissionFile.objects.update(state="waiting", disk_bytes=3 << 20)

    page = page_of(operator)

    assert "It took too long: 2" in page
    assert "Long ago" not in page
    assert "3\xa0hours" in page
    assert "3 MB" in page
    assert "no heartbeat for 15 seconds" in page  # nothing runs in this test
    assert "secret-name" not in page
    assert "No backup has been made" in page


def test_it_says_when_the_last_backup_was_made_and_which_courses_were_deleted(operator, settings):
    told = {"made_at": "2026-11-16T02:00:00+00:00", "rows": 1234, "files": 5, "faults": 1}
    (settings.DATA / "last-backup.json").write_text(json.dumps(told))
    Event.objects.create(verb="course-deleted", data={"title": "Gone", "people": 3, "count": 2})

    page = page_of(operator)

    assert "1,234 rows, 5 files" in page
    assert "Missing or damaged files: 1." in page
    assert "“Gone”, with 3 people and 2 submissions" in page


# -- mail -----------------------------------------------------------------------------------------------


def test_without_a_server_it_says_so_and_writes_a_file(operator, settings):
    assert "No mail server is configured" in page_of(operator)

    page = operator.post(reverse("operator-test-mail"), follow=True).content.decode()

    assert "was written as a file" in page
    assert "Test e-mail from Peerage" in next(settings.MAIL_FOLDER.iterdir()).read_text()
    for _ in range(5):
        page = operator.post(reverse("operator-test-mail"), follow=True).content.decode()
    assert "up to five test e-mails" in page


def test_a_real_server_gets_it_at_once_and_one_that_is_away_is_told_in_its_own_words(operator, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_USE_TLS, settings.EMAIL_USE_SSL = "127.0.0.1", False, False
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""

    with mailbox() as (port, letters):
        settings.EMAIL_PORT = port
        page = operator.post(reverse("operator-test-mail"), follow=True).content.decode()

    assert "The mail server accepted an e-mail to operator@example.org" in page
    assert f"E-mail is sent through 127.0.0.1:{port}" in page
    assert "The connection is not encrypted" in page
    assert [letter.rcpt_tos for letter in letters] == [["operator@example.org"]]
    page = operator.post(reverse("operator-test-mail"), follow=True).content.decode()
    assert "The e-mail could not be sent: ConnectionRefusedError" in page


# -- courses and who makes them ---------------------------------------------------------------------------


def test_a_course_gets_more_room_with_a_record(cast, operator):
    path = reverse("operator-course", args=[cast.course.pk])

    operator.post(path, {"megabytes": "123"})

    cast.course.refresh_from_db()
    assert cast.course.most_bytes == 123 << 20
    assert "123 MB" in operator.get(reverse("operator-courses")).content.decode()
    entry = Event.objects.get(course=cast.course, verb="course-changed")
    assert entry.actor == cast.people["operator"]
    assert entry.data == {"field": "room", "before": "", "after": 123}
    operator.post(path, {"megabytes": ""})
    cast.course.refresh_from_db()
    assert cast.course.most_bytes is None
    assert operator.post(path, {"megabytes": "-1"}).status_code == 422


def test_the_list_of_courses_asks_as_much_for_many_as_for_few(cast, operator):
    def queries() -> int:
        with CaptureQueriesContext(connection) as asked:
            assert operator.get(reverse("operator-courses")).status_code == 200
        return len(asked)

    queries()
    few = queries()
    for number in range(3):
        made = casting.course(cast.people["instructor"], f"More {number}")
        casting.submit(casting.assignment(made), casting.students(made, 1, f"more{number}")[0])

    assert queries() == few
    assert Course.objects.count() == 5


def test_somebody_new_may_create_courses_and_is_told(cast, operator):
    answer = operator.post(reverse("operator-course-creators"), {"email": "New@example.org"})

    assert answer.status_code == 302
    person = Person.objects.get(email="new@example.org")
    assert person.may_create_courses
    assert "/link/" in Mail.objects.get(person=person).text
    operator.post(reverse("operator-course-creator-stop", args=[person.pk]))
    person.refresh_from_db()
    assert not person.may_create_courses

    known = cast.people["stranger"]
    known.set_password("five plain words for this")
    known.save()
    operator.post(reverse("operator-course-creators"), {"email": known.email})
    known.refresh_from_db()
    assert known.may_create_courses
    assert not Mail.objects.filter(person=known).exists()  # who has an account needs no link

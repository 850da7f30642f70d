"""Announcements: who is mailed, who sees them, and that nothing is mailed twice."""

import pytest
from django.utils import timezone
from tests.web.classes.cast import move, submit
from tests.web.page_facts import texts

from peerage_web.accounts.models import Mail
from peerage_web.classes.announcements import services
from peerage_web.classes.announcements.models import Announcement
from peerage_web.classes.announcements.services import announcements_shown
from peerage_web.classes.enums import Phase
from peerage_web.classes.erasure.services import export_member
from peerage_web.shared.errors import Refused

TITLE, TEXT = "Room change", "We meet in room 4.\nBring your <poster>."


@pytest.fixture
def path(cast) -> str:
    move(cast.assignment, Phase.SUBMITTING)
    return f"/c/{cast.course.key}/announcements"


def announce(cast, **more) -> Announcement:
    by = cast.people["instructor"]
    return services.announce(course=cast.course, by=by, **{"title": TITLE, "text": TEXT, **more})


def test_students_are_mailed_once_and_see_it_on_the_course_page(cast, path):
    staff = cast.client("assistant")
    untitled = staff.post(f"{path}/new", {"title": "", "text": "Typed for long"})
    assert (untitled.status_code, Announcement.objects.count()) == (422, 0)
    assert "Typed for long" in texts(untitled, "textarea")

    page = staff.post(f"{path}/new", {"title": TITLE, "text": TEXT, "to": ""}, follow=True)
    assert "All students · 5 people" in page.content.decode()

    mail = Mail.objects.filter(kind="announcement")
    assert sorted(mail.values_list("person__email", flat=True)) == [
        f"student{number}@example.org" for number in range(1, 6)
    ]
    assert mail[0].subject == f"{cast.course.name}: {TITLE}"
    assert TEXT in mail[0].text
    for word in ("student", "observer", "instructor"):
        page = cast.client(word).get(f"/c/{cast.course.key}/")
        assert TITLE in texts(page, "h3")
        assert "&lt;poster&gt;" in page.content.decode()


def test_only_those_who_have_not_submitted_are_mailed_and_see_it(cast, path):
    submit(cast.assignment, cast.students[0])
    to = f"{cast.assignment.key}:missing"
    cast.client("instructor").post(f"{path}/new", {"title": TITLE, "text": TEXT, "to": to})

    mailed = set(Mail.objects.values_list("person", flat=True))
    assert mailed == {student.person_id for student in cast.students[1:]}
    pages = {word: cast.client(word).get(path).content.decode() for word in ("student", "neighbour")}
    assert [TITLE in page for page in pages.values()] == [False, True]
    assert TITLE in texts(cast.client("neighbour").get(cast.assignment.get_absolute_url()), "h3")

    submit(cast.assignment, cast.students[1])
    assert not announcements_shown(cast.students[1])


def test_editing_mails_nobody_and_withdrawing_stops_what_waits(cast, path):
    made, staff = announce(cast), cast.client("instructor")
    first = Mail.objects.order_by("pk")[0]
    Mail.objects.filter(pk=first.pk).update(sent_at=timezone.now())

    staff.post(f"{path}/{made.pk}/edit", {"title": "Room 5", "text": "Not 4."})
    assert "Room 5" in texts(cast.client("student").get(path), "h2")
    assert Mail.objects.count() == 5

    staff.post(f"{path}/{made.pk}/withdraw")
    assert list(Mail.objects.all()) == [first]
    assert "Room 5" not in cast.client("student").get(path).content.decode()
    assert "withdrawn" in texts(staff.get(path), ".badge")
    verbs = cast.course.events.order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["announcement-made", "announcement-changed", "announcement-withdrawn"]
    assert staff.post(f"{path}/{made.pk}/edit", {"title": "x", "text": "y"}).status_code == 422


def test_nothing_is_announced_where_students_see_nothing_and_nobody_is_flooded(cast):
    with pytest.raises(Refused, match="Publish it first"):
        announce(cast, assignment=cast.assignment)
    cast.course.hidden_at = timezone.now()
    with pytest.raises(Refused, match="hidden"):
        announce(cast)
    assert not Mail.objects.exists()

    cast.course.hidden_at = None
    for _ in range(services.MOST_AN_HOUR):
        announce(cast)

    with pytest.raises(Refused, match="Try again later"):
        announce(cast)


def test_a_title_in_two_lines_is_one_in_the_subject_and_stays_in_the_data_of_its_author(cast):
    announce(cast, title="Room\r\nchange")

    assert Mail.objects.order_by("pk")[0].subject.endswith(": Room change")
    (own,) = export_member(member=cast.member("instructor"))["announcements"]
    assert (own["title"].split(), own["text"]) == (["Room", "change"], TEXT)

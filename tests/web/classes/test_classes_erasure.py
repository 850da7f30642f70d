"""A person's data can be had as one file, and erased: judgements stay, the name is nowhere any more."""

from __future__ import annotations

import json

import pytest
from django.apps import apps
from django.core.serializers import serialize
from tests.web.classes.cast import PIXEL, allocate, begin_ranking, hand_in, join, put_copy

from peerage_web.accounts.models import Person
from peerage_web.classes.models import Comment, Ranking, Review, SubmissionFile
from peerage_web.classes.services import people
from peerage_web.classes.services.erasure import erase_member
from peerage_web.classes.words import Role
from peerage_web.shared.errors import Refused

MARK = "Zebedee"  # a name that nothing else has


@pytest.fixture
def one(cast):
    """Somebody who was invited, changed, handed in, ranked and commented."""
    teacher = cast.people["instructor"]
    member = people.add_member(
        course=cast.course,
        by=teacher,
        email=f"{MARK}@example.org",
        role=Role.STUDENT,
        name=MARK,
        student_id=f"{MARK}-1",
    )
    people.change_member(member=member, by=teacher, section=f"{MARK} section")
    people.invite(members=[member], by=teacher)
    work = hand_in(cast.assignment, member)
    SubmissionFile.objects.create(
        submission=work.submissions.get(),
        position=2,
        name=f"{MARK}.pdf",
        kind="pdf",
        bytes=1,
        sha256="0" * 64,
    )
    (review,) = allocate(cast.assignment, member, [hand_in(cast.assignment, cast.students[0])])
    begin_ranking(cast.assignment, member)
    Comment.objects.create(review=review, text="good")
    return member


def whole_database() -> str:
    models = apps.get_app_config("peerage_web").get_models()
    return "".join(serialize("json", model._base_manager.all()) for model in models).lower()


def test_export_has_everything(cast, one):
    found = json.loads(cast.client("instructor").get(f"/c/{cast.course.key}/people/{one.pk}/data").content)

    assert found["person"]["email"] == f"{MARK.lower()}@example.org"
    assert [row["text"] for row in found["comments"]] == ["good"]
    assert len(found["submissions"]) == 1
    assert {row["verb"] for row in found["record_about"]} == {"member-added", "member-changed", "invited"}
    assert [row["kind"] for row in found["mail"]] == ["invitation"]


def test_erased_name_is_nowhere_and_judgements_stay(cast, one):
    assert MARK.lower() in whole_database()

    erase_member(member=one, by=cast.people["instructor"])

    assert MARK.lower() not in whole_database()
    one.refresh_from_db()
    assert (one.role, one.shown_name) == (Role.DROPPED, "Erased person")
    assert Review.objects.filter(reviewer=one).count() == 1
    assert Ranking.objects.get(reviewer=one).bins == [["A"]]
    assert Comment.objects.get().text == "good"


def test_the_record_still_reads(cast, one):
    erase_member(member=one, by=cast.people["instructor"])

    page = cast.client("instructor").get(f"/c/{cast.course.key}/record")

    assert page.status_code == 200
    assert "erased somebody at their request" in page.content.decode()


def test_what_was_uploaded_makes_way_for_its_copy(cast, one):
    submission = one.works.get().submissions.get()
    SubmissionFile.objects.filter(submission=submission, position=1).delete()
    file = SubmissionFile.objects.create(
        submission=submission, position=1, name="x", kind="image", bytes=1, sha256="0" * 64, state="ready"
    )
    put_copy(file)
    file.original.write_text(f"a photograph by {MARK}")
    index = file.folder / "shown" / "shown.json"
    index.write_text(index.read_text().replace('"hidden": ""', f'"hidden": "{MARK}"'))

    erase_member(member=one, by=cast.people["instructor"])

    assert file.original.read_bytes() == PIXEL
    assert MARK not in index.read_text()


def test_who_is_in_another_course_keeps_the_account(cast, one):
    join(cast.other, one.person, Role.STUDENT)
    person = Person.objects.get(pk=one.person_id)

    erase_member(member=one, by=cast.people["instructor"])

    person.refresh_from_db()
    assert (person.is_active, person.email) == (True, f"{MARK.lower()}@example.org")
    assert person.memberships.get().course == cast.other


def test_erasing_needs_a_tick(cast, one):
    client, path = cast.client("instructor"), f"/c/{cast.course.key}/people/{one.pk}/erase"

    client.post(path)
    one.refresh_from_db()
    assert one.name == MARK

    client.post(path, {"sure": "on"})
    one.refresh_from_db()
    assert one.name == ""


def test_nobody_erases_themselves_or_an_instructor(cast):
    for word in ("instructor", "assistant"):
        with pytest.raises(Refused):
            erase_member(member=cast.member("instructor"), by=cast.people[word])

"""Importing a roster: read by the library in a child, previewed, committed, and safe to do again."""

import io

import polars
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from tests.web.classes.cast import Cast
from tests.web.classes.childless import childless, in_a_child  # noqa: F401 - fixtures
from tests.web.page_facts import texts

from peerage_web.accounts.models import Identity, Mail, Person
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.courses.models import Membership, RosterImport
from peerage_web.classes.enums import Role
from peerage_web.classes.roster.imports import changes_of

ROSTER = (
    "Matriculation number;First name;Last name;E-mail;Section;Team\n"
    "1;Ada;Byron;ada@example.org;North;x\n"
    "2;Ben;Üçok;BEN@example.org;South;x\n"
)


def upload(cast: Cast, content: str | bytes, name: str = "roster.csv"):
    client = cast.client("instructor")
    data = content.encode() if isinstance(content, str) else content
    answer = client.post(f"/c/{cast.course.key}/roster", {"file": SimpleUploadedFile(name, data)})
    assert answer.status_code == 302, answer.content
    return client, answer["Location"]


def commit(client, path: str, **more: str):
    mark = client.get(path).context["fingerprint"]
    return client.post(path + "commit", {"fingerprint": mark, **more}, follow=True)


def row(line: int = 2, **cells: str) -> dict[str, object]:
    empty = dict.fromkeys(("student_id", "email", "name", "section", "group"), "")
    return {"line": line, **empty, **cells}


ALL = {"student_id": "id", "email": "e", "name": "n", "section": "s", "group": "g"}


@pytest.mark.both
@pytest.mark.usefixtures("in_a_child")
def test_import_by_recognised_columns(cast):
    Membership.objects.filter(role=Role.STUDENT).delete()
    client, path = upload(cast, ROSTER)
    page = client.get(path)
    assert page.context["content"]["columns"] == {
        "student_id": "Matriculation number", "email": "E-mail", "name": "", "first_name": "First name",
        "last_name": "Last name", "section": "Section", "group": "Team",
    }  # fmt: skip

    answer = commit(client, path, invite="on")

    assert texts(answer, ".notice")[0] == "Imported: 2 added, 0 changed, 0 unchanged."
    ben = Membership.objects.get(student_id="2")
    assert (ben.name, ben.person.email, ben.section, ben.group, ben.role) == (
        "Ben Üçok", "ben@example.org", "South", "x", "student",
    )  # fmt: skip
    assert Event.objects.filter(verb="roster-imported").get().data == {"added": 2, "updated": 0, "dropped": 0}
    assert not RosterImport.objects.exists()
    assert set(Mail.objects.values_list("person__email", flat=True)) == {"ada@example.org", "ben@example.org"}


def test_the_same_file_again_is_shown_as_it_would_be_now_and_changes_nothing(cast):
    client, path = upload(cast, ROSTER)
    mark = client.get(path).context["fingerprint"]
    commit(*upload(cast, ROSTER))
    assert not Mail.objects.exists()  # nobody asked for invitations
    before = list(Membership.objects.order_by("pk").values())

    overtaken = client.post(path + "commit", {"fingerprint": mark})
    answer = commit(client, path)

    assert overtaken.status_code == 422
    assert texts(overtaken, ".notice")[0].startswith("The course has changed since you opened this page.")
    assert texts(answer, ".notice") == ["Imported: 0 added, 0 changed, 2 unchanged."]
    assert list(Membership.objects.order_by("pk").values()) == before


def test_excel_is_read_too_and_columns_can_be_chosen(cast):
    kept = io.BytesIO()
    polars.DataFrame({"a": ["ada@example.org"], "b": ["Ada"]}).write_excel(kept)
    client, path = upload(cast, kept.getvalue(), "roster.xlsx")
    assert client.get(path).context["content"]["problem"]["code"] == "data"

    client.post(path, {"email": "a", "name": "b"})
    commit(client, path)

    assert Membership.objects.get(person__email="ada@example.org").name == "Ada"


def test_broken_lines_are_named_and_nothing_is_imported_nor_left_or_shown_to_others(cast, settings):
    client, path = upload(cast, "email,name\nada@example.org,Ada\nnot an address,Ben\nada@example.org,Ida\n")
    page = client.get(path)
    assert cast.client("assistant").get(path).status_code == 404

    assert [(one.line, one.rule) for one in page.context["changes"].errors] == [
        (3, "is not an e-mail address"),
        (4, "is already in line 2"),
    ]
    assert client.post(path + "commit", {"fingerprint": "x"}).status_code == 422
    assert not Person.objects.filter(email="ada@example.org").exists()
    assert len(list(settings.ROSTERS.iterdir())) == 1
    client.post(path + "cancel")
    assert list(settings.ROSTERS.iterdir()) == []


def test_a_repeated_line_is_listed_and_stops_nothing(cast):
    client, path = upload(cast, "email,name\nada@example.org,Ada\nAda@Example.org,Ada\n")
    page = client.get(path)
    (repeated,) = page.context["changes"].repeated
    assert (repeated.line, repeated.rule) == (3, "is already in line 2")
    assert "1 repeated line is skipped" in page.content.decode()

    commit(client, path)

    assert Membership.objects.filter(person__email="ada@example.org").count() == 1


def test_people_are_known_by_number_or_address_and_changed_only_where_the_file_says_so(cast):
    """Staff stay staff, those who were dropped come back, and a line of two people is refused."""
    one = cast.students[0]
    Membership.objects.filter(pk=one.pk).update(section="North")

    moved = changes_of(cast.course, [row(student_id=one.student_id, email="new@example.org")], ALL)
    same = changes_of(cast.course, [row(email="student1@example.org")], {"email": "e"})
    mixed = changes_of(cast.course, [row(student_id=one.student_id, email="student2@example.org")], ALL)
    staff = changes_of(cast.course, [row(email="assistant@example.org", name="Other")], ALL)
    back = changes_of(cast.course, [row(email="dropped@example.org")], {"email": "e"})

    (change,) = moved.update
    assert change.member == one
    assert change.fields["email"] == ("student1@example.org", "new@example.org")
    assert (same.same, same.update) == (1, [])
    (error,) = mixed.errors
    assert error.rule.startswith("belongs to a different person in this course")
    assert (len(staff.staff), staff.is_empty) == (1, True)
    assert [one.member for one in back.take_back] == [cast.member("dropped")]


@pytest.mark.parametrize("number", ["", "student-1"])
def test_an_address_from_before_means_the_same_student(cast, number):
    """Otherwise their place in the course would move to a new account, and they would lose it."""
    member = cast.students[0]
    Membership.objects.filter(pk=member.pk).update(student_id=number)
    Identity.objects.create(issuer=Identity.EMAIL, subject="old@example.org", person=member.person)
    known = row(email="old@example.org", student_id=number, name="Student 1")

    changes = changes_of(cast.course, [known], {"email": "e", "name": "n"})

    assert (changes.add, changes.update, changes.errors) == ([], [], [])
    assert member not in changes.missing


def test_missing_students_are_dropped_when_asked_in_few_queries(cast, django_assert_max_num_queries):
    lines = [f"{n};A;B;s{n}@example.net;North;x\n" for n in range(100, 200)]
    client, path = upload(cast, ROSTER.splitlines(keepends=True)[0] + "".join(lines))
    mark = client.get(path).context["fingerprint"]

    with django_assert_max_num_queries(60):
        client.post(path + "commit", {"fingerprint": mark, "drop": "on"})

    left = Membership.objects.filter(course=cast.course, role=Role.STUDENT)
    assert set(left.values_list("section", flat=True)) == {"North"}
    assert left.count() == 100
    assert Membership.objects.get(pk=cast.member("instructor").pk).role == Role.INSTRUCTOR

"""Who reviews whom: the pages for staff, the file out and in."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from tests.web.classes.cast import move
from tests.web.classes.childless import childless, in_a_child  # noqa: F401 - fixtures
from tests.web.classes.lists import Room
from tests.web.classes.test_classes_reassignment import begin, finish, reviewing

from peerage_web.classes.allocation import matrix
from peerage_web.classes.allocation.files import allocation_file
from peerage_web.classes.allocation.models import AllocationRun, Review
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase


def address(room: Room, rest: str = "") -> str:
    return f"/c/{room.cast.course.key}/a/{room.assignment.key}/allocation{rest}"


def send(room: Room, text: str):
    file = SimpleUploadedFile("lists.csv", text.encode())
    return room.cast.client("instructor").post(address(room, "/import"), {"file": file})


def test_how_far_everybody_is_and_every_look_of_the_page(cast):
    room = reviewing(cast, 6)
    waiting, opened, begun, done = room.students[:4]
    Review.objects.filter(reviewer=opened).update(opened_at=room.assignment.created_at)
    begin(room, begun)
    finish(room, done)

    rows = matrix.rows_by_reviewer(room.assignment, [waiting, opened, begun, done])

    found = [{entry.how_far for entry in row.entries} for row in rows]
    assert found == [{"waiting"}, {"opened"}, {"written"}, {"done"}]
    assert [row.finished for row in rows] == [False, False, False, True]
    client = cast.client("assistant")
    for query in ("", "?by=submission", "?by=grid", "?only=unfinished", "?search=reviewer+3"):
        assert "Reviewer 3" in client.get(address(room, f"/matrix{query}")).content.decode(), query


def test_the_file_goes_out_without_formulas_and_in_again_and_takes_nothing_that_was_begun(cast):
    room = reviewing(cast, 6)
    Membership.objects.filter(pk=room.students[2].pk).update(name="=1+1")
    begin(room, room.students[0])

    lines = allocation_file(assignment=room.assignment).decode().splitlines()

    def send_without(member: Membership):
        return send(room, "\n".join(line for line in lines if not line.startswith(member.person.email)))

    same = send(room, "\n".join(lines))
    taking, other = send_without(room.students[0]), send_without(room.students[1])

    assert lines[0] == "grader,item,label,how_far,name,section,made_by"
    assert len(lines) == 19
    assert sum(",'=1+1," in line for line in lines) == 3
    assert [same.status_code, taking.status_code, other.status_code] == [200, 422, 200]
    assert "The file matches the current allocation. Nothing would change." in same.content.decode()
    assert "would take 3 reviews from people who have already started" in taking.content.decode()


@pytest.mark.usefixtures("in_a_child")
def test_a_file_can_be_the_allocation_until_reviews_are_in(cast):
    room = Room(cast, 5)
    people = [one.person.email for one in room.students]
    lines = [f"{people[n]},{people[(n + step) % 5]}" for n in range(5) for step in (1, 2)]
    client = cast.client("instructor")

    page = send(room, "\n".join(["grader,item", *lines]))
    done = client.post(address(room, "/import/commit"), {"kept": page.context["kept"]})
    again = client.post(address(room, "/import/commit"), {"kept": page.context["kept"]})

    assert [page.status_code, done.status_code, again.status_code] == [200, 302, 422]
    room.check()
    assert {len(mine) for mine in room.lists().values()} == {2}
    assert AllocationRun.objects.get(assignment=room.assignment).kind == "by-hand"
    move(room.assignment, Phase.CLOSED)
    assert send(room, "grader,item\n").status_code == 409


def test_every_line_that_cannot_be_is_told(cast):
    room = Room(cast, 5)
    mine = room.students[0].person.email

    none = send(room, "who,what\n1,2\n")
    page = send(room, f"grader,item\n{mine},{mine}\nnobody@example.org,{mine}\n{mine},nothing\n")
    text = page.content.decode()

    assert (none.status_code, page.status_code) == (422, 422)
    assert "grader" in none.content.decode()
    assert "Line 2: nobody can review their own" in text
    assert "Line 3: “nobody@example.org” is not in the course." in text
    assert "Line 4: there is no submission by “nothing”." in text
    assert not Review.objects.filter(assignment=room.assignment).exists()

"""Who reviews whom: the pages for staff, the file out and in; few queries however large the class."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from tests.web.classes.cast import move
from tests.web.classes.lists import Room
from tests.web.classes.test_classes_mending import begin, finish

from peerage_web.classes.models import AllocationRun, Membership, Review
from peerage_web.classes.queries import matrix
from peerage_web.classes.services.allocation_files import allocation_file
from peerage_web.classes.words import Phase


def address(room: Room, rest: str = "") -> str:
    return f"/c/{room.cast.course.key}/a/{room.assignment.key}/allocation{rest}"


def send(room: Room, text: str):
    file = SimpleUploadedFile("lists.csv", text.encode())
    return room.cast.client("instructor").post(address(room, "/import"), {"file": file})


def test_how_far_everybody_is(cast):
    room = Room(cast, 8)
    room.review()
    waiting, opened, begun, done = room.students[:4]
    Review.objects.filter(reviewer=opened).update(opened_at=room.assignment.created_at)
    begin(room, begun)
    finish(room, done)

    rows = matrix.rows_by_reviewer(room.assignment, [waiting, opened, begun, done])

    found = [{entry.how_far for entry in row.entries} for row in rows]
    assert found == [{"waiting"}, {"opened"}, {"written"}, {"done"}]
    assert [row.finished for row in rows] == [False, False, False, True]


@pytest.mark.parametrize("query", ["", "?by=work", "?by=grid", "?only=unfinished", "?search=reviewer+3"])
def test_the_page(cast, query):
    room = Room(cast, 8)
    room.review()

    page = cast.client("assistant").get(address(room, f"/matrix{query}"))

    assert page.status_code == 200
    assert "Reviewer 3" in page.content.decode()


def test_queries_do_not_grow_with_the_class(cast):
    client = cast.client("assistant")
    client.get("/courses")  # the first request of a session is remembered
    counts = []
    for size in (6, 12):
        room = Room(cast, size, word=f"of{size}")
        room.review()
        pages = []
        for rest in ("", "/matrix", "/matrix?by=work", "/matrix?by=grid", "/repair", "/reports"):
            with CaptureQueriesContext(
                connection,
            ) as seen:
                assert client.get(address(room, rest)).status_code == 200
            pages.append(len(seen))
        counts.append(pages)
        Membership.objects.filter(pk__in=[one.pk for one in room.students]).update(
            role="dropped", dropped_at=room.assignment.created_at
        )
        cast.students = []

    assert counts[0] == counts[1]


def test_the_file_goes_out_and_in_again(cast):
    room = Room(cast, 8)
    room.review()

    text = allocation_file(assignment=room.assignment).decode()
    page = send(room, text)

    assert text.splitlines()[0] == "grader,item,label,how_far,name,section,made_by"
    assert len(text.splitlines()) == 25
    assert page.status_code == 200
    assert "The file says what is there already." in page.content.decode()


def test_formulas_are_no_formulas(cast):
    room = Room(cast, 6)
    Membership.objects.filter(pk=room.students[0].pk).update(name="=1+1")
    room.review()

    assert ",'=1+1" in allocation_file(assignment=room.assignment).decode()


def test_a_file_can_be_the_allocation(cast):
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


def test_every_line_that_cannot_be_is_told(cast):
    room = Room(cast, 5)
    mine = room.students[0].person.email

    page = send(room, f"grader,item\n{mine},{mine}\nnobody@example.org,{mine}\n{mine},nothing\n")
    text = page.content.decode()

    assert page.status_code == 422
    assert "Line 2: nobody reviews their own" in text
    assert "Line 3: nobody in the course is “nobody@example.org”." in text
    assert "Line 4: no work was made by “nothing”." in text
    assert not Review.objects.filter(assignment=room.assignment).exists()


def test_a_file_takes_nothing_from_those_who_have_begun(cast):
    room = Room(cast, 6)
    room.review()
    begin(room, room.students[0])
    lines = allocation_file(assignment=room.assignment).decode().splitlines()
    kept = [line for line in lines if not line.startswith(room.students[0].person.email)]

    page = send(room, "\n".join(kept))

    assert page.status_code == 422
    assert "3 reviews would be taken from people who have begun" in page.content.decode()
    other = [line for line in lines if not line.startswith(room.students[1].person.email)]
    assert send(room, "\n".join(other)).status_code == 200


def test_a_file_that_is_none_is_told(cast):
    room = Room(cast, 5)

    page = send(room, "who,what\n1,2\n")

    assert page.status_code == 422
    assert "grader" in page.content.decode()


def test_it_is_not_changed_once_reviews_are_in(cast):
    room = Room(cast, 5)
    room.review()
    move(room.assignment, Phase.CLOSED)

    assert send(room, "grader,item\n").status_code == 409

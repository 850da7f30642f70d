"""Lists of people are in the order in which people look names up."""

from __future__ import annotations

import pytest
from tests.web.classes.cast import move, submit

from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase
from peerage_web.classes.names import by_author, by_name, name_key

AS_PEOPLE_SORT = ["anna Ost", "Åsa", "Émile", "Ergün", "Øst", "Zoë"]


def test_names_sort_as_people_do(cast):
    assert sorted(set(AS_PEOPLE_SORT), key=name_key) == AS_PEOPLE_SORT
    assert sorted(["Team 10", "team 2", "Team 02", "Team"], key=name_key) == [
        "Team",
        "Team 02",
        "team 2",
        "Team 10",
    ]
    assert sorted(["é", "e"], key=name_key) == [
        "e",
        "é",
    ]  # equal but for the accent: always the same way round

    for member, name in zip(cast.students, reversed(AS_PEOPLE_SORT), strict=False):
        Membership.objects.filter(pk=member.pk).update(name=name)
        member.refresh_from_db()
    submissions = [submit(cast.assignment, member) for member in cast.students]

    names = [member.shown_name for member in by_name(cast.students)]

    assert names == AS_PEOPLE_SORT[1:]
    assert [submission.author.name for submission in by_author(submissions)] == names


@pytest.mark.both
@pytest.mark.parametrize("page", ["people", "a/{key}/submissions", "a/{key}/progress"])
def test_pages_of_staff_list_names_so(cast, page):
    for member, name in zip(cast.students, reversed(AS_PEOPLE_SORT), strict=False):
        Membership.objects.filter(pk=member.pk).update(name=name)
        submit(cast.assignment, member)
    move(cast.assignment, Phase.SUBMITTING)
    address = cast.course.get_absolute_url() + page.format(key=cast.assignment.key)

    text = cast.client("instructor").get(address, follow=True).content.decode()

    places = [text.index(name) for name in AS_PEOPLE_SORT[1:]]
    assert places == sorted(places)

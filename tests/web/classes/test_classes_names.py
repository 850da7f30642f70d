"""The search for names: whole words, whatever their case and accents, and no alarm for what is none."""

from __future__ import annotations

import pytest
from tests.web.classes.cast import join

from peerage_web.accounts.models import Person
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.submissions.names import names_in


@pytest.fixture
def member(cast):
    """Add somebody with this name."""

    def add(name: str, email: str = "someone@example.org", student_id: str = "") -> Membership:
        person = Person.objects.create_user(email, name=name)
        return join(cast.course, person, Role.STUDENT, student_id=student_id)

    return add


FOUND = {
    "by Zoë Müller": ["Zoë Müller", "Zoë", "Müller"],
    "BY ZOE MULLER": ["ZOE MULLER", "ZOE", "MULLER"],
    "Müller, Zoë wrote": ["Müller, Zoë", "Müller", "Zoë"],
    "see zoe.mueller@example.org!": ["zoe.mueller@example.org", "zoe"],
    "number 17-0042.": ["17-0042"],
    "A zoetrope by Mullerian means": [],
    "1700421": [],
    "": [],
}


def test_what_is_found(cast, member):
    member("Zoë Müller", "zoe.mueller@example.org", "17-0042")

    assert {text: sorted(names_in(text, cast.assignment)) for text in FOUND} == {
        text: sorted(names) for text, names in FOUND.items()
    }
    assert names_in(cast.other_students[0].name, cast.assignment) == []


def test_parts_of_two_letters_and_numbers_that_are_short_or_without_digits_alarm_nobody(cast, member):
    member("An Le", "an@example.org")
    member("Someone Else", student_id="12")
    member("Other", "other@example.org", student_id="north")

    assert names_in("An apple. Le monde. 12 of the north.", cast.assignment) == []
    assert names_in("by An Le", cast.assignment) == ["An Le"]


def test_in_a_work_single_names_of_others_do_not_count(cast, member):
    own, _other = member("Grace Hopper"), member("Mark Twain", "mark@example.org")

    text = "Grace met Mark once. Twain, Mark."

    assert names_in(text, cast.assignment, [own]) == ["Grace", "Twain, Mark"]
    assert set(names_in(text, cast.assignment)) == {"Grace", "Twain, Mark", "Mark", "Twain"}


def test_names_in_scripts_without_spaces(cast, member):
    member("王小明")

    assert names_in("作者王小明的海報", cast.assignment) == ["王小明"]
    assert names_in("作者的海報", cast.assignment) == []

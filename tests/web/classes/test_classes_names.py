"""The search for names: whole words, whatever their case and accents, and no alarm for what is none."""

import pytest
from tests.web.classes.cast import join

from peerage_web.accounts.models import Person
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.submissions.names import _roster, _search, names_in


@pytest.fixture
def member(cast):
    """Add somebody with this name."""

    def add(name: str, email: str = "someone@example.org", student_id: str = "") -> Membership:
        person = Person.objects.create_user(email, name=name)
        return join(cast.course, person, Role.STUDENT, student_id=student_id)

    return add


def found(text: str, cast, writer: Membership | None = None) -> list[str]:
    return names_in([text], cast.assignment, writer or cast.students[0])


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
    writer = member("Zoë Müller", "zoe.mueller@example.org", "17-0042")

    assert {text: found(text, cast, writer) for text in FOUND} == FOUND
    assert found(cast.other_students[0].name, cast, writer) == []


def test_the_search_answers_no_questions_about_others(cast, member):
    """Every number there can be, sent as a comment, came back as the numbers of the class, in its order."""
    for number in range(30):
        member(f"Given{number} Family{number}", f"s{number}@example.org", f"17{number:04}")
    names = [f"Family{number}" for number in reversed(range(30))]
    guesses = " ".join(f"17{number:04}, s{number}@example.org" for number in range(99))

    assert found(guesses, cast) == []
    assert found(" ".join(names), cast) == names[:10]
    assert found(" x" * 10_000 + " Family1", cast) == []


def test_parts_of_two_letters_and_numbers_that_are_short_or_without_digits_alarm_nobody(cast, member):
    short, other = member("Someone Else", student_id="12"), member("Other", "o@example.org", "kestrel")

    for writer in (short, other):
        assert found("12 of the kestrel.", cast, writer) == []


COMMON = {
    "An apple. Le monde.": [],
    "by An Le": ["An Le"],
    # common words are names with a capital inside a sentence
    "Brown arrows on weiß; a gross von error. Weiss sieht man. brown": [],
    "I think Brown or Dr. Weiß did it: Ada Brown": ["Brown", "Ada Brown", "Ada"],
    # and German nouns are none behind an article
    "Mir ist das Ziel klar, und im Wald wird gemessen.": [],
    "Mir ist das Ziel klar. Weil Ziel fehlt.": ["Ziel"],
    # scripts without spaces
    "作者王小明的海報": ["王小明"],
    "作者的海報": [],
}


def test_common_words_alarm_nobody_unless_they_stand_as_names(cast, member):
    for number, name in enumerate(("An Le", "Ada Brown", "Jörg von Weiß", "Ida Ziel", "Karl Wald", "王小明")):
        member(name, f"s{number}@example.org")

    assert {text: found(text, cast) for text in COMMON} == COMMON


def test_in_a_submission_single_names_of_others_do_not_count(cast, member):
    own, _other = member("Grace Hopper"), member("Mark Twain", "mark@example.org")
    text, roster = "Grace met Mark once. Twain, Mark.", _roster(cast.assignment)

    in_submission = _search(text, roster, {own.pk}, parts_of_others=False)

    assert [mention.found for mention in in_submission] == ["Grace", "Twain, Mark"]
    assert found(text, cast) == ["Grace", "Mark", "Twain, Mark", "Twain"]

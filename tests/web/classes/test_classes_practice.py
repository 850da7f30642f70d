"""The practice round: an answer to every choice, and reviewing that waits for it where staff want that."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from tests.web.classes.cast import allocate, move, students, submit
from tests.web.classes.childless import childless, in_a_child  # noqa: F401 - fixtures
from tests.web.page_facts import texts

from peerage_web.classes.enums import Phase
from peerage_web.classes.practice import services as practice
from peerage_web.classes.practice.models import PracticeAnswer, PracticeExample
from peerage_web.classes.practice.queries import labelled, practice_of
from peerage_web.classes.reassignment.lists import label_of
from peerage_web.classes.reviewing.models import Ranking


@pytest.fixture
def room(cast):
    """Three examples: A is best, B and C are on a par; practice is required."""
    where = cast.assignment
    where.practice = "required"
    where.save()
    for text, place in (("Best", 1), ("Second", 2), ("Also second", 2)):
        example = {"title": text, "text": text, "place": place, "because": f"Because of {text}."}
        practice.add_example(assignment=where, by=cast.people["instructor"], **example)
    allocate(where, cast.students[0], [submit(where, one) for one in cast.students[1:4]])
    move(where, Phase.REVIEWING)
    cast.base = f"/c/{cast.course.key}/a/{where.key}/"
    return cast


def labels_of(room) -> dict[str, str]:
    """A is the first example that staff made: under which label the student sees it."""
    seen = labelled(room.assignment, room.students[0])
    made = {example.pk: label_of(place) for place, example in enumerate(PracticeExample.objects.all())}
    return {made[example.pk]: label for label, example in seen.items()}


def rank(room, *tiers) -> dict[str, bool | None]:
    labels = labels_of(room)
    chosen = [[labels[letter] for letter in tier] for tier in tiers]
    sheet = practice.save_practice(assignment=room.assignment, member=room.students[0], tiers=chosen)
    answers = {one.label: one.answer.agrees if one.answer is not None else None for one in sheet.items}
    return {letter: answers[label] for letter, label in labels.items()}


def test_students_see_examples_in_orders_of_their_own_that_stay(room):
    """In the order of the list, the best example would be the first for everybody."""
    more = students(room.course, 12, "more")
    orders = [
        [one.example.title for one in practice_of(room.assignment, member).items] for member in more * 2
    ]

    assert orders[:12] == orders[12:]
    assert len({tuple(order) for order in orders}) > 1
    assert {tuple(sorted(order)) for order in orders} == {("Also second", "Best", "Second")}


def test_every_choice_is_answered(room):
    assert rank(room, "A") == {"A": None, "B": None, "C": None}
    assert rank(room, "B", "A") == {"A": False, "B": False, "C": None}
    assert rank(room, "A", "B") == {"A": True, "B": True, "C": None}
    assert rank(room, "A", "B", "C") == {"A": True, "B": False, "C": False}
    assert rank(room, "A", "BC") == {"A": True, "B": True, "C": True}

    room.assignment.ties_allowed = False  # what staff tied has any order then
    room.assignment.save()
    assert rank(room, "A", "C", "B") == {"A": True, "B": True, "C": True}


def test_script_and_form_get_the_answer_in_words_with_the_reason(room):
    client, path = room.client("student"), room.base + "practice/save"
    label, kind = labels_of(room), "application/json"
    first, second, third = label["A"], label["B"], label["C"]

    body = json.dumps({"tiers": [[second], [first]], "version": 0})
    answer = client.post(path, body, content_type=kind, headers={"Accept": kind}).json()["answers"]
    page = client.post(path, {f"place-{first}": "1", f"place-{second}": "2"}, follow=True)

    otherwise = "Your instructors see it differently. They rank it"
    assert answer == {
        first: {"agrees": False, "text": f"{otherwise} above {second}.", "because": "Because of Best."},
        second: {"agrees": False, "text": f"{otherwise} below {first}.", "because": "Because of Second."},
        third: None,
    }
    assert "Because of Best." in texts(page, "p")


def test_reviewing_waits_until_it_is_finished_with_a_place_for_every_example(room):
    client = room.client("student")
    waiting = client.get(room.base + "reviews/")
    assert texts(waiting, "h1") == ["Practice first"]
    assert client.post(room.base + "reviews/save", {"place-A": "1"}).status_code == 409
    assert client.post(room.base + "reviews/submit", {"place-A": "1"}).status_code == 409
    assert not Ranking.objects.exists()

    answer = client.post(room.base + "practice/finish", {"place-A": "1"})
    assert "every example" in answer.content.decode()
    assert PracticeAnswer.objects.get().finished_at is None

    client.post(room.base + "practice/finish", {"place-A": "1", "place-B": "2", "place-C": "3"})
    assert texts(client.get(room.base + "reviews/"), "h1") == ["Review and rank"]


def test_nothing_stands_before_reviewing_otherwise(room):
    def stands(wanted: str) -> bool:
        room.assignment.practice = wanted
        room.assignment.save()
        return practice.stands_before_reviewing(room.assignment, room.students[0])

    assert [stands("none"), stands("offered"), stands("required")] == [False, False, True]

    for one in PracticeExample.objects.all()[1:]:
        one.delete()
    assert not stands("required")


def test_example_that_is_removed_leaves_the_order(room):
    rank(room, "A", "B", "C")
    practice.remove_example(example=PracticeExample.objects.get(title="Second"), by=room.people["instructor"])

    sheet = practice_of(room.assignment, room.students[0])
    titles = {item.label: item.example.title for item in sheet.items}
    assert sorted(titles) == ["A", "B"]  # labels close up
    assert [[titles[label] for label in tier] for tier in sheet.tiers] == [["Best"], ["Also second"]]


def test_staff_make_examples_on_a_page(room):
    client, path = room.client("assistant"), room.base + "practice/examples/"
    form = {"title": "Another", "text": "*Markdown*", "place": "3", "because": "It has no figure."}

    assert client.post(path, {**form, "text": ""}).status_code == 422
    assert client.post(path, form).status_code == 302
    made = PracticeExample.objects.get(title="Another")
    assert client.post(f"{path}{made.key}/", {**form, "place": "4"}).status_code == 302
    page = client.get(path)
    assert "Edit Another" in texts(page, "a")
    made.refresh_from_db()
    assert made.place == 4

    assert client.post(f"{path}{made.key}/remove").status_code == 302
    assert not PracticeExample.objects.filter(pk=made.pk).exists()


@pytest.mark.usefixtures("in_a_child")
def test_example_can_be_a_file(room):
    """Its copy is made in the sandbox, as those of submissions are; the name of the file is nowhere."""
    form = {"title": "File", "place": "4", "because": "It is a file.", "text": ""}
    upload = SimpleUploadedFile("ada-lovelace.txt", b"Twelve beans near a window.")
    answer = room.client("assistant").post(room.base + "practice/examples/", {**form, "file": upload})
    assert answer.status_code == 302

    made = PracticeExample.objects.get(title="File")
    client = room.client("student")
    page = client.get(room.base + "practice/")
    copy = client.get(f"{room.base}practice/{made.key}/download")

    assert made.kind == "text"
    assert "Twelve beans near a window." in page.content.decode()
    assert b"".join(copy.streaming_content) == b"Twelve beans near a window."
    assert "lovelace" not in page.content.decode() + copy["Content-Disposition"]

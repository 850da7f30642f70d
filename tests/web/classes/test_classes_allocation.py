"""The allocation: previewed, committed once, whole or not at all; every rule looked at by brute force."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from tests.web.classes.cast import move
from tests.web.classes.lists import Room, parts

from peerage_web.classes.models import AllocationRun, Assignment, Event, Membership, Review
from peerage_web.classes.services import allocation as services
from peerage_web.classes.services.allocation import Options, allocate_waiting, try_allocation
from peerage_web.classes.services.phases import take_step
from peerage_web.classes.services.replacing import label_of, number_of_label
from peerage_web.classes.words import Phase
from peerage_web.shared.errors import Refused

DESIGNS = ("spread", "random", "calibrated", "staff")


@pytest.mark.parametrize("design", DESIGNS)
def test_every_design_keeps_every_rule(cast, design):
    room = Room(cast, 10)

    room.allocate(design=design, reviews_per_staff=2 if design == "staff" else 0, anchors=2)

    room.check()
    lists = room.lists()
    mine = [len(lists[one.pk]) for one in room.students]
    assert mine == [3] * 10
    assert max(room.loads().values()) - min(room.loads().values()) <= (1 if design != "calibrated" else 9)
    if design == "spread":
        assert parts(lists, {one.pk for one in room.works}) == 1


def test_teams_never_review_their_own_work(cast):
    room = Room(cast, 12, teams=4, reviews_per_student=3)

    room.allocate()

    room.check()
    assert set(room.loads().values()) == {9}


def test_sections_apart(cast):
    room = Room(cast, 12, sections="apart")
    for number, one in enumerate(room.students):
        Membership.objects.filter(pk=one.pk).update(section="AB"[number % 2])

    room.allocate(sections="apart")

    section = dict(Membership.objects.values_list("pk", "section"))
    maker = {one.pk: one.author_id for one in room.works}
    pairs = [(section[who], section[maker[work]]) for who, mine in room.lists().items() for work in mine]
    assert pairs
    assert all(reviewer == author for reviewer, author in pairs)


def test_labels_say_nothing_and_differ_per_reviewer(cast):
    room = Room(cast, 12)
    room.allocate()

    labels = Review.objects.filter(assignment=room.assignment).values_list("work", "label")

    assert {label for _work, label in labels} == {"A", "B", "C"}
    assert any(len({label for one, label in labels if one == work}) > 1 for work, _label in labels)
    assert len({one.key for one in Review.objects.filter(assignment=room.assignment)}) == 36


def test_labels_go_on_after_z():
    assert [label_of(number) for number in (0, 25, 26, 27, 701, 702)] == ["A", "Z", "AA", "AB", "ZZ", "AAA"]
    assert all(number_of_label(label_of(number)) == number for number in range(1000))


def test_works_of_those_who_left_and_students_without_a_work_stay_out(cast):
    room = Room(cast, 8)
    gone, idle = room.students[0], room.students[1]
    Membership.objects.filter(pk=gone.pk).update(role="dropped", dropped_at=timezone.now())
    room.works[1].submissions.update(handed_in_at=None)

    room.allocate()

    reviewed = {work for mine in room.lists().values() for work in mine}
    assert not reviewed & {room.works[0].pk, room.works[1].pk}
    assert not {gone.pk, idle.pk} & room.lists().keys()


def test_the_same_seed_gives_the_same_lists_and_another_does_not(cast):
    room = Room(cast, 12)
    one, again, other = (
        try_allocation(
            assignment=room.assignment,
            options=Options("random", 3, 0, 5, "pooled", seed),
            by=room.by,
        )
        for seed in (1, 1, 2)
    )

    assert one.lists == again.lists
    assert one.lists != other.lists


def test_a_second_commit_is_refused(cast):
    room = Room(cast, 8)
    found = try_allocation(assignment=room.assignment, options=Options.of(room.assignment), by=room.by)
    client = cast.client("instructor")
    address = f"/c/{cast.course.key}/a/{room.assignment.key}/allocation/commit"
    form = {**_form(room.assignment), "fingerprint": found.fingerprint}

    first, second = client.post(address, form), client.post(address, form)

    assert first.status_code == 302
    assert second.status_code == 422
    assert "committed already" in second.content.decode()
    assert AllocationRun.objects.filter(assignment=room.assignment).count() == 1
    assert Review.objects.filter(assignment=room.assignment).count() == 24


def test_a_class_that_changed_since_the_preview_is_shown_again(cast):
    room = Room(cast, 8)
    found = try_allocation(assignment=room.assignment, options=Options.of(room.assignment), by=room.by)
    room.works[0].submissions.all().delete()

    with pytest.raises(Refused, match="has changed since"):
        services.commit_allocation(
            assignment=room.assignment,
            options=Options.of(room.assignment),
            by=room.by,
            expected=found.fingerprint,
        )

    assert not Review.objects.filter(assignment=room.assignment).exists()


def test_a_death_in_between_leaves_nothing(cast, monkeypatch):
    """The last thing that is written is the record; whoever dies there has written nothing."""
    room = Room(cast, 8)

    def die(*args, **named):
        raise KeyboardInterrupt

    monkeypatch.setattr(services, "record", die)
    with pytest.raises(KeyboardInterrupt):
        room.allocate()

    assert not Review.objects.filter(assignment=room.assignment).exists()
    assert not AllocationRun.objects.filter(assignment=room.assignment).exists()


def test_what_cannot_be_is_told_with_names_and_what_would_work(cast):
    room = Room(cast, 8, teams=4, reviews_per_student=4)
    client = cast.client("assistant")

    page = client.get(
        f"/c/{cast.course.key}/a/{room.assignment.key}/allocation",
        {**_form(room.assignment), "preview": "yes"},
    ).content.decode()

    assert "The rules cannot all be kept" in page
    assert "Reviewer 1" in page
    assert "With 3 reviews per student it works." in page
    assert "Commit" not in page


def test_the_preview_says_it_in_plain_words(cast):
    room = Room(cast, 12)

    page = (
        cast.client("instructor")
        .get(
            f"/c/{cast.course.key}/a/{room.assignment.key}/allocation",
            {**_form(room.assignment), "preview": "yes"},
        )
        .content.decode()
    )

    assert "Every work gets 3 reviews." in page
    assert "All works are connected" in page
    assert "% of pairs of works will stand in the wrong order" in page
    assert not Review.objects.filter(assignment=room.assignment).exists()


def test_it_allocates_itself_and_starts_reviewing(cast):
    room = Room(cast, 8, allocates_itself=True)
    past = timezone.now() - timedelta(hours=1)
    Assignment.objects.filter(pk=room.assignment.pk).update(due_at=past)

    assert allocate_waiting() == 1

    room.assignment.refresh_from_db()
    assert room.assignment.phase == Phase.REVIEWING
    assert set(room.loads().values()) == {3}
    assert Event.objects.filter(assignment=room.assignment, verb="allocated", actor=None).exists()
    assert allocate_waiting() == 0


def test_what_cannot_allocate_itself_is_recorded_once(cast, monkeypatch):
    room = Room(cast, 8, allocates_itself=True, design="staff")
    Assignment.objects.filter(pk=room.assignment.pk).update(due_at=timezone.now() - timedelta(hours=1))

    assert [allocate_waiting(), allocate_waiting()] == [0, 0]

    events = Event.objects.filter(assignment=room.assignment, verb="allocation-impossible")
    assert events.count() == 1
    Assignment.objects.filter(pk=room.assignment.pk).update(design="spread")
    assert allocate_waiting() == 1


def test_an_allocation_can_be_thrown_away_and_made_again(cast):
    room = Room(cast, 8)
    room.review()

    take_step(assignment=room.assignment, code="allocate-again", by=room.by)
    room.allocate(design="random")

    assert set(room.loads().values()) == {3}
    assert AllocationRun.objects.get(assignment=room.assignment).design == "random"


def test_students_find_none_of_it(cast):
    room = Room(cast, 8)
    room.review()
    client = cast.client(None)
    client.force_login(room.students[0].person)
    start = f"/c/{cast.course.key}/a/{room.assignment.key}"

    pages = ["allocation", "allocation/matrix", "allocation/file", "allocation/reports", "allocation/repair"]

    assert {client.get(f"{start}/{one}").status_code for one in pages} == {403}


def _form(one: Assignment) -> dict[str, object]:
    return {name: getattr(one, name) for name in Options.__slots__}


def test_while_works_come_in_there_is_nothing_to_commit(cast):
    room = Room(cast, 4)
    move(room.assignment, Phase.SUBMITTING)

    page = cast.client("assistant").get(f"/c/{cast.course.key}/a/{room.assignment.key}/allocation")

    assert page.status_code == 200
    assert "still handed in" in page.content.decode()

"""The allocation: previewed, committed once, whole or not at all; every rule looked at by brute force."""

from dataclasses import asdict
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone
from tests.web.classes.cast import move
from tests.web.classes.lists import Room, parts

from peerage_web.classes.allocation import services
from peerage_web.classes.allocation.models import AllocationRun, Review
from peerage_web.classes.allocation.services import Options, allocate_waiting, try_allocation
from peerage_web.classes.allocation.texts import problem_in_words, quality_in_words
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase
from peerage_web.classes.reassignment.lists import label_of, number_of_label
from peerage_web.shared.errors import Refused


@pytest.fixture(autouse=True)
def short_forecast(monkeypatch):
    """Two simulated classes instead of twenty: what is forecast is not looked at here."""
    monkeypatch.setattr(services, "REPEATS", ((2_000, 2),))


def test_every_design_keeps_every_rule_and_labels_say_nothing(cast):
    room = Room(cast, 10)
    submissions = {one.pk for one in room.submissions}
    for design in Assignment.Design.values:
        with transaction.atomic():
            room.allocate(design=design, reviews_per_staff=2 if design == "staff" else 0, anchors=2)

            room.check()
            lists, loads = room.lists(), room.loads().values()
            assert [len(lists[one.pk]) for one in room.students] == [3] * 10, design
            assert max(loads) - min(loads) <= (1 if design != "calibrated" else 9), design
            if design == "spread":
                assert parts(lists, submissions) == 1
            given = list(room.assignment.reviews.all())
            assert {one.label for one in given} == {"A", "B", "C"}
            several = {(one.submission_id, one.label) for one in given}  # of a submission
            assert len(several) > len(submissions)
            transaction.set_rollback(True)


def test_teams_never_review_their_own_submission(cast):
    room = Room(cast, 8, teams=4)

    room.allocate()

    room.check()
    assert set(room.loads().values()) == {6}


def test_sections_apart(cast):
    room = Room(cast, 8, sections="apart")
    for number, one in enumerate(room.students):
        Membership.objects.filter(pk=one.pk).update(section="AB"[number % 2])

    room.allocate(sections="apart")

    pairs = Review.objects.values_list("reviewer__section", "submission__author__section")
    assert set(pairs) == {("A", "A"), ("B", "B")}


def test_labels_go_on_after_z():
    assert [label_of(number) for number in (0, 25, 26, 27, 701, 702)] == ["A", "Z", "AA", "AB", "ZZ", "AAA"]
    assert all(number_of_label(label_of(number)) == number for number in range(1000))


def test_submissions_of_those_who_left_and_students_without_a_submission_stay_out(cast):
    room = Room(cast, 8)
    gone, idle = room.students[0], room.students[1]
    Membership.objects.filter(pk=gone.pk).update(role="dropped", dropped_at=timezone.now())
    room.submissions[1].versions.update(submitted_at=None)

    room.allocate()

    reviewed = {submission for mine in room.lists().values() for submission in mine}
    assert not reviewed & {room.submissions[0].pk, room.submissions[1].pk}
    assert not {gone.pk, idle.pk} & room.lists().keys()


def test_the_same_seed_gives_the_same_lists_and_another_does_not(cast):
    room = Room(cast, 8)
    options = [Options("random", 3, 0, 5, "pooled", seed) for seed in (1, 1, 2)]
    one, again, other = (
        try_allocation(assignment=room.assignment, options=chosen, by=room.by) for chosen in options
    )

    assert one.lists == again.lists
    assert one.lists != other.lists


def test_a_preview_in_plain_words_is_committed_once(cast):
    room = Room(cast, 8)
    client = cast.client("instructor")
    move(room.assignment, Phase.SUBMITTING)
    assert "Students can still submit." in client.get(address(room)).content.decode()
    move(room.assignment, Phase.ALLOCATING)

    form = asdict(Options.of(room.assignment))
    page = client.get(address(room), {**form, "preview": "yes"})

    text = page.content.decode()
    assert "Each submission gets 3 reviews." in text
    assert "All submissions are connected" in text
    assert "% of pairs of submissions in the wrong order" in text
    assert not Review.objects.exists()

    form |= {"fingerprint": page.context["trial"].fingerprint}
    first, second = (client.post(address(room, "/commit"), form) for _ in range(2))

    assert (first.status_code, second.status_code) == (302, 422)
    assert "Reviews are already allocated" in second.content.decode()
    assert AllocationRun.objects.count() == 1
    assert Review.objects.count() == 24


@pytest.mark.both
def test_it_is_committed_whole_and_as_it_was_seen(cast, monkeypatch):
    """The last thing that is written is the activity log; whoever dies there has written nothing."""
    room = Room(cast, 8)
    options = Options.of(room.assignment)
    found = try_allocation(assignment=room.assignment, options=options, by=room.by)
    asked = {"assignment": room.assignment, "options": options, "by": room.by, "expected": found.fingerprint}

    def die(*args, **named):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(services, "record", die)
        with pytest.raises(KeyboardInterrupt):
            services.commit_allocation(**asked)
    room.submissions[0].versions.all().delete()
    with pytest.raises(Refused, match="has changed since"):
        services.commit_allocation(**asked)

    assert not Review.objects.exists()
    assert not AllocationRun.objects.exists()


def test_what_cannot_be_is_told_with_names_and_what_would_work(cast):
    room = Room(cast, 8, teams=4, reviews_per_student=4)

    asked = {**asdict(Options.of(room.assignment)), "preview": "yes"}
    page = cast.client("assistant").get(address(room), asked).content.decode()

    assert "These rules cannot all be met:" in page
    assert "Reviewer 1" in page
    assert "It is possible with 3 reviews per student." in page
    assert "Confirm this allocation" not in page


def test_it_allocates_itself_and_starts_reviewing(cast):
    """What is in its way is recorded once."""
    room = Room(cast, 8, allocates_itself=True, design="staff")
    here = Assignment.objects.filter(pk=room.assignment.pk)
    here.update(due_at=timezone.now() - timedelta(hours=1))
    assert [allocate_waiting(), allocate_waiting()] == [0, 0]
    assert room.assignment.events.filter(verb="allocation-impossible").count() == 1
    here.update(design="spread")

    assert [allocate_waiting(), allocate_waiting()] == [1, 0]

    assert here.get().phase == Phase.REVIEWING
    assert set(room.loads().values()) == {3}
    assert room.assignment.events.filter(verb="allocated", actor=None).exists()


def address(room: Room, rest: str = "") -> str:
    return f"{room.assignment.get_absolute_url()}allocation{rest}"


QUALITY = {"n_items": 10, "loads": {"3": 8, "4": 2}, "lists": {"3": 10}, "components": 1}
QUALITY |= {"covered_pairs": 0.5, "most_together": 2, "spectral_gap": 0.5}
FORECAST = {"tau_error": 20.0, "random": 25.0, "unsure": 1.0, "repeats": 20}


def test_figures_become_sentences_that_claim_nothing_which_cannot_be_told():
    assert quality_in_words({**QUALITY, "forecast": FORECAST}) == [
        "Each submission gets 3 to 4 reviews.",
        "Each reviewer gets 3 submissions.",
        "All submissions are connected: any two can be compared, directly or through others.",
        "50% of all pairs of submissions share a reviewer, and no pair shares more than 2.",
        "The connections between submissions reach 45% of the greatest possible strength.",
        "Expect about 20% of pairs of submissions in the wrong order; with a random allocation, about 25%."
        " This is based on 20 simulated classes like this one.",
    ]

    close = {**FORECAST, "random": 21.5}

    assert quality_in_words({**QUALITY, "forecast": close})[-1] == (
        "Expect about 20% of pairs of submissions in the wrong order, based on 20 simulated classes like this"
        " one. They show no clear difference from a random allocation."
    )

    told = quality_in_words({**QUALITY, "components": 2})[2]

    assert told.startswith("The submissions fall into 2 groups that share no reviewers")
    assert quality_in_words({}) == []


def test_many_names_are_cut():
    names = {f"m{number}": f"Student {number}" for number in range(12)}

    (text,) = problem_in_words({"code": "without-section", "graders": list(names)}, names)

    assert text.endswith("Student 7 and 4 more.")

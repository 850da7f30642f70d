"""Late submissions join, no-shows are repaired or ranked for: nothing done is touched, nothing seen twice."""

from collections import Counter
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from tests.web.classes.cast import allocate, students, submit_ranking
from tests.web.classes.childless import childless, in_a_child  # noqa: F401 - fixtures
from tests.web.classes.lists import Room, parts

from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.allocation.models import AllocationRun, Review
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.reassignment.services import (
    MOST_EXTRA,
    ReassignmentPlan,
    RepairRequest,
    apply_changes,
    commit_repair,
    join_late,
    join_waiting,
    preview_repair,
    return_reviews,
)
from peerage_web.classes.reviewing.models import Comment, Ranking, SubmittedRanking
from peerage_web.classes.submissions.models import Submission, SubmissionFile
from peerage_web.classes.submissions.queries import authors_with
from peerage_web.classes.submissions.services import add_files, submit
from peerage_web.shared.errors import Refused


def reviewing(cast, count: int) -> Room:
    """Lists are out, and nobody has begun."""
    room = Room(cast, count)
    room.review()
    return room


def begin(room: Room, *members: Membership) -> None:
    """They have an order of all their submissions, and a comment on the first."""
    for member in members:
        mine = list(Review.objects.filter(assignment=room.assignment, reviewer=member, state="open"))
        tiers = [[one.label] for one in mine]
        Comment.objects.create(review=mine[0], text="Well argued.")
        Ranking.objects.create(assignment=room.assignment, reviewer=member, tiers=tiers, version=1)


def finish(room: Room, *members: Membership) -> None:
    begin(room, *members)
    for member in members:
        mine = Review.objects.filter(assignment=room.assignment, reviewer=member, state="open")
        submit_ranking(room.assignment, member, [[one.pk] for one in mine])


def pairs(room: Room, **which: object) -> set[tuple[int, int]]:
    rows = Review.objects.filter(assignment=room.assignment, **which)
    return set(rows.values_list("reviewer", "submission"))


def late(room: Room) -> Submission:
    room.students += students(room.cast.course, 1, f"late{Membership.objects.count()}")
    room.submissions.append(room.submit(room.students[-1]))
    return room.submissions[-1]


# -- late submissions ---------------------------------------------------------------------------------------


def test_a_late_submission_joins_without_more_for_those_who_have_not_begun(cast):
    room = reviewing(cast, 10)
    submission = late(room)

    assert [join_waiting(), join_waiting()] == [1, 0]

    room.check()
    assert room.loads()[submission.pk] == 3
    assert min(room.loads().values()) == 3
    assert {len(mine) for mine in room.lists().values()} == {3}
    labels = Review.objects.filter(assignment=room.assignment).values_list("label", flat=True)
    assert set(labels) == {"A", "B", "C"}  # what nobody had seen leaves no gap
    assert parts(room.lists(), {one.pk for one in room.submissions}) == 1
    assert not join_late(submission=submission)
    assert Event.objects.get(assignment=room.assignment, verb="joined-late").actor is None


def test_labels_differ_where_the_last_review_of_a_list_moves_away_and_two_come(cast):
    room = reviewing(cast, 8)
    mine = Review.objects.filter(reviewer=room.students[0]).order_by("position")
    last, before = mine[2], {one.submission_id for one in mine}
    own = room.submissions[0].pk
    new = [one.pk for one in room.submissions if one.pk not in {*before, own}][:2]
    who = room.students[0].pk
    moved, add = [(who, last.submission_id)], [(who, one) for one in new]
    changes = ReassignmentPlan("", released=[], add=add, moved=moved, extra={}, wanted=3, coverage=3)

    apply_changes(run=AllocationRun.objects.get(), changes=changes)

    room.check()
    assert [one.label for one in mine.all()] == ["A", "B", "C", "D"]
    assert [one.submission_id for one in mine.all()][2:] == new


def test_lists_of_those_who_have_begun_only_grow_and_those_who_have_submitted_are_asked_last(cast):
    room = reviewing(cast, 10)
    done = room.students[:5]
    finish(room, *done)
    begin(room, *room.students[5:])
    before = pairs(room)
    submission = late(room)

    assert join_late(submission=submission)

    room.check()
    assert before <= pairs(room, state="open")
    assert room.loads()[submission.pk] == 3
    assert all(len(room.lists()[one.pk]) == 3 for one in done)
    sizes = Counter(len(room.lists()[one.pk]) for one in room.students)
    assert sizes == {3: 8, 4: 3}


def test_a_late_submission_joins_as_it_is_submitted(cast):
    room, now = reviewing(cast, 6), timezone.now()
    room.assignment.due_at, room.assignment.late_until = now - timedelta(days=1), now + timedelta(days=1)
    room.assignment.save()
    (member,) = students(cast.course, 1, "latecomer")
    authors = authors_with(room.assignment, member)
    file = SimpleUploadedFile("essay.txt", b"A late thought.\n")
    draft = add_files(authors=authors, by=member.person, uploads=[file])
    SubmissionFile.objects.filter(version=draft).update(state="ready")

    done = submit(authors=authors, by=member.person, number=draft.number)

    assert done.is_late
    assert Review.objects.filter(submission=done.submission, state="open").count() == 3
    assert Review.objects.filter(reviewer=member, state="open").count() == 3


def test_many_late_submissions_bound_what_comes_to_one_person(cast):
    room = reviewing(cast, 6)
    begin(room, *room.students)
    for _ in range(6):
        join_late(submission=late(room))

    room.check()
    assert max(len(mine) for mine in room.lists().values()) <= 3 + MOST_EXTRA
    assert min(room.loads().values()) >= 1


# -- no-shows -------------------------------------------------------------------------------------


def repair(room: Room, *leaving: Membership, **wish: object) -> None:
    asked = RepairRequest(leaving=frozenset(one.pk for one in leaving), **wish)
    changes = preview_repair(assignment=room.assignment, wish=asked, by=room.by)
    commit_repair(assignment=room.assignment, wish=asked, by=room.by, expected=changes.fingerprint)


def test_what_a_no_show_holds_goes_to_others_and_nothing_is_deleted(cast):
    room = reviewing(cast, 10)
    gone, *others = room.students
    begin(room, gone, *others[4:])
    finish(room, *others[:4])
    before, comments = pairs(room), Comment.objects.count()
    list_before = {one.label: one.submission_id for one in Review.objects.filter(reviewer=gone)}

    repair(room, gone, most_extra=1)

    room.check()
    assert before <= pairs(room)
    assert Comment.objects.count() == comments
    assert Ranking.objects.get(reviewer=gone).tiers
    assert gone.pk not in room.lists()
    assert {one.state for one in Review.objects.filter(reviewer=gone)} == {"released"}
    assert min(room.loads().values()) == 3
    assert max(len(mine) for mine in room.lists().values()) == 4
    assert all(len(room.lists()[one.pk]) == 3 for one in others[:4])

    # whoever comes back gets their list as they left it
    assert return_reviews(assignment=room.assignment, member=gone, by=room.by) == 3
    mine = Review.objects.filter(reviewer=gone, state="open")
    assert {one.label: one.submission_id for one in mine} == list_before
    assert Comment.objects.filter(review__in=mine, text="Well argued.").exists()
    with pytest.raises(Refused):
        return_reviews(assignment=room.assignment, member=gone, by=room.by)


@pytest.mark.usefixtures("in_a_child")
def test_staff_and_volunteers_take_them_first(cast):
    room = reviewing(cast, 8)
    begin(room, *room.students[1:])
    ready = room.students[3]

    wish = {"most_extra": 0, "staff_each": 1, "volunteers": frozenset({ready.pk}), "volunteers_each": 1}
    repair(room, room.students[0], **wish)

    lists = room.lists()
    staff = Membership.objects.filter(course=cast.course, role__in=("instructor", "assistant"))
    assert sum(len(lists.get(one.pk, ())) for one in staff) == 2
    assert len(lists[ready.pk]) == 4
    assert all(len(lists[one.pk]) == 3 for one in room.students[1:] if one != ready)


def test_the_page_previews_says_how_far_it_goes_and_commits(cast):
    room = reviewing(cast, 6)
    begin(room, *room.students[1:])
    client = cast.client("assistant")
    address = f"/c/{cast.course.key}/a/{room.assignment.key}/allocation/repair"
    asked = {"who": "not-begun", "most_extra": 1, "staff_each": 0, "volunteers_each": 0}
    without_room = {**asked, "who": "", "leaving": room.students[0].pk, "most_extra": 0}

    short = client.get(address, {**without_room, "preview": "yes"})
    page = client.get(address, {**asked, "preview": "yes"})
    commit = {**asked, "fingerprint": page.context["changes"].fingerprint}
    done, again = [client.post(f"{address}/commit", commit) for _ in range(2)]

    expected = "Each submission should get 3 reviews, but these settings only guarantee 2"
    assert expected in short.content.decode()
    assert [page.status_code, done.status_code, again.status_code] == [200, 302, 422]
    assert room.students[0].pk not in room.lists()
    room.check()


def test_somebody_who_submitted_meanwhile_is_no_no_show(cast):
    room = reviewing(cast, 5)
    one = room.students[0]
    wish = RepairRequest(leaving=frozenset({one.pk}))
    changes = preview_repair(assignment=room.assignment, wish=wish, by=room.by)
    finish(room, one)

    with pytest.raises(Refused):
        commit_repair(assignment=room.assignment, wish=wish, by=room.by, expected=changes.fingerprint)

    assert len(room.lists()[one.pk]) == 3


def test_staff_rank_for_a_reviewer_and_do_their_own_lists_the_same_way(cast):
    room = reviewing(cast, 6)
    one, assistant = room.students[0], cast.member("assistant")
    client, path = cast.client("assistant"), f"{room.assignment.get_absolute_url()}rank-for/"
    mine = list(Review.objects.filter(reviewer=one).order_by("position"))
    theirs = Review.objects.filter(reviewer=room.students[1]).first()
    allocate(room.assignment, assistant, room.submissions[:2])

    page = client.get(f"{path}{one.pk}/").content.decode()
    places = {f"place-{review.label}": str(place) for place, review in enumerate(mine, start=1)}
    done = client.post(f"{path}{one.pk}/submit", {"before": "{}", **places})

    assert client.get(f"{path}{one.pk}/{mine[0].key}/").status_code == 200
    assert client.get(f"{path}{one.pk}/{theirs.key}/").status_code == 404  # of another list
    assert "You are reviewing on behalf of Reviewer 1" in page
    assert done.status_code == 302
    kept = SubmittedRanking.objects.get(ranking__reviewer=one)
    assert (kept.submitted_by, kept.tiers) == (assistant.person, [[review.pk] for review in mine])
    event = Event.objects.get(verb="ranking-submitted")
    assert (event.actor, event.subject) == (assistant.person, one)
    own = client.get(f"{path}{assistant.pk}/").content.decode()
    assert own.count('class="card submission"') == 2

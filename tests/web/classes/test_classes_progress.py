"""Progress: who has submitted, opened, drafted and finished; the list, its file, and who may see it."""

import csv
import io
from datetime import timedelta

import pytest
from django.utils import timezone
from tests.web.classes.cast import allocate, begin_ranking, extend, move, submit, submit_ranking, team_up

from peerage_web.classes.allocation.models import Review
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase, Role, SubmissionState
from peerage_web.classes.progress.queries import SHOWN, SORTS, ProgressFilter, chosen, counts, rows_of
from peerage_web.classes.progress.views import _cell
from peerage_web.classes.submissions.models import Submission, SubmissionVersion

NAMES = [f"Student {number}" for number in range(1, 6)]


@pytest.fixture
def stage(cast):
    """Five students: finished, drafted, opened, not begun; the last has uploaded and not submitted."""
    submissions = [submit(cast.assignment, one) for one in cast.students[:4]]
    submit(cast.assignment, cast.students[4]).versions.update(submitted_at=None)
    SubmissionVersion.objects.filter(submission=submissions[1]).update(is_late=True)
    for number in range(4):
        allocate(cast.assignment, cast.students[number], [submissions[number - 1], submissions[number - 2]])
    Review.objects.filter(reviewer__in=cast.students[:3], label="A").update(opened_at=timezone.now())
    for one in cast.students[:2]:
        begin_ranking(cast.assignment, one)
    submit_ranking(cast.assignment, cast.students[0])
    move(cast.assignment, Phase.REVIEWING)
    return cast


def path(cast, page: str = "progress") -> str:
    return f"/c/{cast.course.key}/a/{cast.assignment.key}/{page}"


def test_everybody_stands_where_they_are_and_the_list_can_be_narrowed(stage):
    rows = rows_of(stage.assignment)

    assert [row.name for row in rows] == NAMES
    assert [row.submission for row in rows] == [SubmissionState.SUBMITTED] * 4 + [SubmissionState.DRAFT]
    assert [row.standing for row in rows] == ["finished", "begun", "begun", "not-begun", "nothing"]
    assert [(row.opened, row.reviews) for row in rows] == [(1, 2), (1, 2), (1, 2), (0, 2), (0, 0)]
    assert [row.submission_is_late for row in rows] == [False, True, False, False, False]
    assert [row.drafted_at is not None for row in rows] == [True, True, False, False, False]
    assert counts(rows) == {
        "students": 5, "submitted": 4, "drafts": 1, "reviewers": 4, "opened": 3, "drafted": 2, "finished": 1
    }  # fmt: skip
    # some of them are told as in the whole list
    assert rows_of(stage.assignment, [rows[0].member, rows[3].member]) == [rows[0], rows[3]]

    found = {show: [row.name[-1] for row in chosen(rows, ProgressFilter(show=show))] for show in SHOWN}

    assert found == {
        "": ["1", "2", "3", "4", "5"],
        "missing": ["5"],
        "late": ["2"],
        "unfinished": ["2", "3", "4"],
        "not-begun": ["4"],
        "begun": ["2", "3"],
        "finished": ["1"],
    }

    Membership.objects.filter(pk=stage.students[2].pk).update(section="North", student_id="77")
    rows = rows_of(stage.assignment)

    assert [row.name for row in chosen(rows, ProgressFilter(section="North"))] == ["Student 3"]
    assert [row.name for row in chosen(rows, ProgressFilter(search="sTUDENT 4"))] == ["Student 4"]
    assert [row.name for row in chosen(rows, ProgressFilter(search="77"))] == ["Student 3"]

    later = stage.assignment.due_at + timedelta(days=3)
    extend(stage.assignment, stage.students[4], due_at=later)

    assert [row.due_at for row in rows_of(stage.assignment)] == [stage.assignment.due_at] * 4 + [later]

    Membership.objects.filter(pk=stage.students[3].pk).update(role=Role.DROPPED, dropped_at=timezone.now())

    assert [row.name for row in rows_of(stage.assignment)] == [*NAMES[:3], NAMES[4]]

    member = stage.member("assistant")
    allocate(stage.assignment, member, [Submission.objects.get(author=stage.students[0])])

    (row,) = [row for row in rows_of(stage.assignment) if row.member == member.pk]

    assert (row.is_student, row.reviews) == (False, 1)
    assert row not in chosen(rows_of(stage.assignment), ProgressFilter(show="missing"))


def test_after_submitting_a_draft_undoes_nothing_and_a_new_submission_opens_the_ranking_again(stage):
    first, submission = stage.students[0], Submission.objects.get(author=stage.students[1])
    submit(stage.assignment, first).versions.filter(number=2).update(submitted_at=None)
    Review.objects.filter(reviewer=first, submission=submission).delete()
    (newest,) = allocate(stage.assignment, stage.students[4], [submission])
    Review.objects.filter(pk=newest.pk).update(reviewer=first, label="Z")

    row = rows_of(stage.assignment)[0]

    assert (row.submission, row.standing) == (SubmissionState.SUBMITTED, "begun")


def test_a_team_submits_together(cast):
    cast.assignment.in_teams = True
    cast.assignment.save()
    team = team_up(cast.assignment, cast.students[:2], "Blue")
    submission = submit(cast.assignment, cast.students[0])
    Submission.objects.filter(pk=submission.pk).update(author=None, team=team)

    rows = rows_of(cast.assignment)

    assert [row.submission for row in rows] == [SubmissionState.SUBMITTED] * 2 + [SubmissionState.NONE] * 3
    assert [row.team for row in rows] == ["Blue"] * 2 + [""] * 3


def test_every_column_sorts_both_ways(stage):
    client, rows = stage.client("instructor"), rows_of(stage.assignment)

    for sort in SORTS:
        for sign in ("", "-"):
            shown = client.get(path(stage), {"sort": sign + sort}).context["rows"]
            assert sorted(row.name for row in shown) == NAMES
        keys = [SORTS[sort](row) for row in chosen(rows, ProgressFilter(sort=sort))]
        assert keys == sorted(keys), sort


def test_page_is_paged_and_observers_look_and_do_not_remind(stage, monkeypatch):
    monkeypatch.setattr("peerage_web.classes.progress.views.PER_PAGE", 2)
    client = stage.client("observer")

    pages = [client.get(path(stage), {"page": number}) for number in (1, 2, 3)]

    names = [[row.name for row in page.context["rows"]] for page in pages]
    assert names == [NAMES[:2], NAMES[2:4], NAMES[4:]]
    assert "Student 5" in pages[2].content.decode()
    assert "Remind the people shown" not in pages[2].content.decode()
    assert "Remind the people shown" in stage.client("assistant").get(path(stage)).content.decode()


def test_file_has_the_chosen_rows_and_no_formula(stage):
    name = "=cmd|' /C calc'!A0"
    Membership.objects.filter(pk=stage.students[2].pk).update(name=name, section="@x")

    answer = stage.client("instructor").get(path(stage, "progress/export"), {"show": "unfinished"})

    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    told = [(row["name"], row["section"], row["ranking"], row["reviews_opened"]) for row in rows]
    assert told == [
        (f"'{name}", "'@x", "begun", "1"),
        ("Student 2", "", "begun", "1"),
        ("Student 4", "", "not-begun", "0"),
    ]
    assert answer["Content-Disposition"] == 'attachment; filename="poster-progress.csv"'
    assert [_cell(f"{sign}x") for sign in "=@\n＝"] == [f"'{sign}x" for sign in "=@\n＝"]

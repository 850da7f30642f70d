"""What students read is put together as grades are released; what changes after that is there at once."""

import json
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from tests.web.classes.release_room import ReleaseRoom

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.phases.services import retract_grades
from peerage_web.classes.reassignment.reports import exclude_submission, include_submission
from peerage_web.classes.release.models import PreparedFeedback, ReleasedGrade
from peerage_web.classes.release.services import release_again
from peerage_web.classes.reviewing.models import Comment


@pytest.fixture
def room(cast) -> ReleaseRoom:
    made = ReleaseRoom(cast)
    made.run(letters=True)
    made.release()
    return made


def words_for(room: ReleaseRoom, number: int) -> str:
    """The page of a student's grade, without what is different in every answer."""
    return re.sub(r'value="\w{64}"', "", room.read(number, "grade/"))


def texts_of(room: ReleaseRoom, number: int) -> list[str]:
    return [Comment.objects.get(review=review).text for review in room.reviews_of(number)]


def test_it_is_there_for_every_grade_and_has_no_name_in_it(room):
    prepared = {row.grade.membership_id: row.content for row in PreparedFeedback.objects.all()}

    assert set(prepared) == set(ReleasedGrade.objects.values_list("membership", flat=True))
    content = prepared[room.members[1].pk]
    written = [text for entry in content["received"] for _comment, _prompt, text in entry["remarks"]]
    assert sorted(written) == sorted(texts_of(room, 1))
    text = json.dumps(list(prepared.values()))
    for member in room.members:
        assert member.name not in text
        assert member.person.email not in text
    assert not any(review.key in text for review in room.reviews_of(1))


def test_without_it_the_pages_say_the_same(room):
    """As after an import; and a second way to the same words."""
    rating = words_for(room, 1)
    assert room.rate(1)
    grade = words_for(room, 1)

    PreparedFeedback.objects.all().delete()

    assert words_for(room, 1) == grade
    ReleasedGrade.objects.update(seen_at=None)
    room.grade_of(1).membership.ratings.all().delete()
    assert words_for(room, 1) == rating
    assert all(text in rating and text in grade for text in texts_of(room, 1))


def test_reviews_that_end_are_gone_at_once(room):
    room.rate(1)

    exclude_submission(submission=room.submissions[1], by=room.by)
    assert "Nobody has commented on your submission." in words_for(room, 1)
    include_submission(submission=room.submissions[1], by=room.by)
    assert all(text in words_for(room, 1) for text in texts_of(room, 1))


def test_it_goes_with_its_release_and_comes_with_the_next(room):
    before = set(PreparedFeedback.objects.values_list("pk", flat=True))
    room.run(shift=1.0)
    release_again(assignment=room.assignment, by=room.by, why="Another run.")
    again = PreparedFeedback.objects.all()

    assert not before & set(again.values_list("pk", flat=True))
    assert set(again.values_list("grade__release__number", flat=True)) == {2}

    retract_grades(assignment=room.assignment, by=room.by)
    assert not PreparedFeedback.objects.exists()


def test_students_pages_ask_little_after_a_release(room):
    """The whole class looks within minutes: an increase here is paid by everybody who waits."""
    client = room.cast.client(room.members[1])
    client.get(room.page())  # the session is written with the first page

    def queries() -> list[int]:
        counts = []
        for page in (room.assignment.course.get_absolute_url(), room.page(), room.page("grade/")):
            with CaptureQueriesContext(connection) as captured:
                assert client.get(page).status_code == 200
            counts.append(len(captured))
        return counts

    unseen = queries()
    room.rate(1)
    client.get(room.page("grade/"))

    assert (unseen, queries()) == ([10, 16, 9], [10, 13, 9])


def test_nothing_can_be_added_after_a_release_whatever_the_dates(room):
    """The page once offered it, and the form was refused."""
    now = timezone.now()
    dates = {"due_at": -2, "late_until": 1, "reviews_due_at": 2}
    Assignment.objects.update(**{name: now + timedelta(days=days) for name, days in dates.items()})

    page = room.cast.client(room.members[4]).get(room.page()).content.decode()

    assert ("Add your submission" in page, "Go to your submission" in page) == (False, True)

"""Whatever happens at the same moment: one release, one mail each, and no rating after the grade."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from tests.web.at_work import at_once
from tests.web.classes.cast import Cast
from tests.web.classes.release_room import ReleaseRoom

from peerage_web.accounts.models import Mail
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.enums import Phase
from peerage_web.classes.grading.models import GradingPlan
from peerage_web.classes.phases.services import take_step
from peerage_web.classes.release.feedback import handle_of
from peerage_web.classes.release.models import Helpfulness, HiddenComment, Release, ReleasedGrade
from peerage_web.classes.release.services import hide_comment, rate, reveal, write_grade_mail

pytestmark = [pytest.mark.both, pytest.mark.django_db(transaction=True)]
AT_ONCE = 6


@pytest.fixture
def room(transactional_db) -> ReleaseRoom:
    made = ReleaseRoom(Cast())
    made.run()
    return made


def test_released_by_many_it_is_released_once(room):
    """And told once."""

    def release(number: int) -> None:
        one = Assignment.objects.get(pk=room.assignment.pk)
        take_step(assignment=one, code="release", by=room.by)

    at_once(release, range(AT_ONCE))
    at_once(lambda number: write_grade_mail(), range(AT_ONCE))

    assert Assignment.objects.get(pk=room.assignment.pk).phase == Phase.RELEASED
    assert Release.objects.count() == 1
    assert ReleasedGrade.objects.count() == 4
    assert Mail.objects.filter(kind="grades").count() == 4


def test_a_rating_beside_the_reveal_is_from_before_it(room):
    """Others rate the same review 1 while the grade is shown: after that, nothing changes any more."""
    room.release()
    member, handles = room.members[1], [handle_of(one) for one in room.reviews_of(1)]
    rate(assignment=room.assignment, member=member, ratings=dict.fromkeys(handles, 5))
    kept: list[list[int]] = []

    def both(number: int) -> None:
        if number:
            rate(assignment=room.assignment, member=member, ratings=dict.fromkeys(handles, 1))
        else:
            reveal(assignment=room.assignment, member=member)
            kept.append(sorted(Helpfulness.objects.values_list("rating", flat=True)))

    at_once(both, range(AT_ONCE))

    assert sorted(Helpfulness.objects.values_list("rating", flat=True)) == kept[0]
    assert kept[0] in ([1, 1], [5, 5])


def test_hidden_by_many_it_is_hidden_once(room):
    comment = room.reviews_of(1)[0].comments.get()

    at_once(lambda number: hide_comment(comment=comment, by=room.by, reason=str(number)), range(AT_ONCE))

    assert HiddenComment.objects.count() == 1


def test_a_look_locks_nobody_out_until_the_grade_is_shown_and_puts_nothing_together(room):
    """After a release the whole class looks within minutes; on SQLite, who writes has the database alone."""
    room.release()
    client = room.cast.client("student")
    client.get(room.page("grade/"))  # the session is written with the first page

    with CaptureQueriesContext(connection) as before:
        assert client.get(room.page("grade/")).status_code == 200
    GradingPlan.objects.update(rates_helpfulness=False)
    with CaptureQueriesContext(connection) as shown:
        assert client.get(room.page("grade/")).status_code == 200

    writes = ("BEGIN", "INSERT", "UPDATE", "DELETE")
    assert [query["sql"] for query in before if query["sql"].startswith(writes)] == []
    locked = [query["sql"].split()[0] for query in shown]
    locked = locked[locked.index("BEGIN") : locked.index("COMMIT")]
    assert locked == ["BEGIN", "SELECT", "UPDATE"]
    assert not any("submittedranking" in query["sql"] for query in [*before, *shown])  # it was prepared

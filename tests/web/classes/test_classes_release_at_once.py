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
    room = ReleaseRoom(Cast())
    room.run()
    return room


def test_released_by_many_it_is_released_once(room):
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
    room.rate(1, 5)
    member, ratings = room.members[1], {handle_of(one): 1 for one in room.reviews_of(1)}
    kept: list[list[int]] = []

    def both(number: int) -> None:
        if number:
            rate(assignment=room.assignment, member=member, ratings=ratings)
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

    def queries() -> list[str]:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(room.page("grade/")).status_code == 200
        return [query["sql"] for query in captured]

    before = queries()
    GradingPlan.objects.update(rates_helpfulness=False)
    shown = queries()

    assert [query for query in before if query.startswith(("BEGIN", "INSERT", "UPDATE", "DELETE"))] == []
    words = [query.split()[0] for query in shown]
    assert words[words.index("BEGIN") : words.index("COMMIT")] == ["BEGIN", "SELECT", "UPDATE"]
    assert not any("submittedranking" in query for query in [*before, *shown])  # it was prepared

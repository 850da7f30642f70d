"""Reports: another submission at once, three exclude a submission, nothing that was written is lost."""

from datetime import timedelta

import pytest
from django.utils import timezone
from tests.web.at_work import at_once
from tests.web.classes.cast import move
from tests.web.classes.childless import childless  # noqa: F401 - a fixture
from tests.web.classes.lists import Room
from tests.web.classes.test_classes_reassignment import begin, finish

from peerage_web.accounts.models import Mail
from peerage_web.classes.activity_log.digest import write_digests
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.allocation.models import Report, Review
from peerage_web.classes.courses.models import Course
from peerage_web.classes.enums import Phase
from peerage_web.classes.phases.readiness import blockers
from peerage_web.classes.phases.state_machine import BY_CODE
from peerage_web.classes.reassignment.reports import exclude_submission, include_submission, report_submission
from peerage_web.classes.reviewing.models import Comment, SubmittedRanking
from peerage_web.classes.submissions.models import Submission
from peerage_web.shared.errors import Refused


@pytest.fixture
def room(cast) -> Room:
    """Ten students, each with six submissions to review."""
    room = Room(cast, 10, reviews_per_student=6)
    room.review()
    return room


def reviews_of(submission: Submission) -> list[Review]:
    return list(Review.objects.filter(submission=submission, state="open").order_by("pk"))


def report(review: Review, reason: str = "blank", text: str = "") -> object:
    return report_submission(review=review, reason=reason, text=text, by=review.reviewer.person)


def test_another_submission_comes_at_once_and_never_one_seen_before(room):
    loads = room.loads()
    mine = list(Review.objects.filter(reviewer=room.students[0]))

    answer = report(mine[0], "known")

    room.check()
    new = answer.replacement
    assert new.in_place_of == mine[0]
    assert (new.label, new.state) == ("G", "open")
    assert new.submission_id not in {review.submission_id for review in mine}
    assert loads[new.submission_id] == min(loads.values())
    assert Review.objects.get(pk=mine[0].pk).state == "replaced"


def test_reporting_on_and_on_empties_the_class_and_then_says_so(room):
    one = room.students[0]
    answers = []
    while review := Review.objects.filter(reviewer=one, state="open").first():
        answers.append(report(review, "known"))

    room.check()
    assert Review.objects.filter(reviewer=one).count() == 9  # all but the own one, each of them once
    assert [answer.replacement is None for answer in answers] == [False] * 3 + [True] * 6
    assert not any(answer.excluded for answer in answers)


def test_three_reports_exclude_a_submission_and_tell_staff(room):
    """To know its author takes no submission out; whoever has submitted keeps it and gets nothing new."""
    submission = room.submissions[0]
    *reporting, writing, done = reviews_of(submission)
    begin(room, writing.reviewer)
    finish(room, done.reviewer)

    reasons = ("known", "blank", "unreadable", "blank")
    taken = [report(one, reason).excluded for one, reason in zip(reporting, reasons, strict=True)]

    submission.refresh_from_db()
    assert taken == [False, False, False, True]
    assert submission.excluded_at is not None
    assert not reviews_of(submission)
    room.check()
    lists = room.lists()
    assert {len(mine) for who, mine in lists.items() if who != done.reviewer_id} == {6}
    assert len(lists[done.reviewer_id]) == 5
    assert [done.pk] in SubmittedRanking.objects.get(ranking__reviewer=done.reviewer).tiers
    assert Comment.objects.filter(text="Well argued.").count() == 2
    assert Event.objects.filter(verb="submission-excluded", actor=None).count() == 1
    Course.objects.update(digest_until=timezone.now() - timedelta(days=2))
    Event._base_manager.update(at=timezone.now() - timedelta(hours=1))
    write_digests()
    told = Mail.objects.filter(kind="digest")
    assert {mail.person for mail in told} == {room.cast.people["assistant"], room.cast.people["instructor"]}
    assert "1 submission was excluded automatically" in told.first().text
    assert not any(one.reviewer.name in told.first().text for one in reporting)


def test_another_reason_is_given_in_words_and_excludes_nothing(room):
    held = reviews_of(room.submissions[0])

    with pytest.raises(Refused, match="Say in a few words"):
        report(held[0], "other", " ")
    outcomes = [report(one, "other", "It is about another topic.") for one in held[:4]]

    assert not any(outcome.excluded for outcome in outcomes)
    assert Report.objects.filter(reason="other", text="It is about another topic.").count() == 4


def test_staff_put_it_back_or_keep_it_out(room):
    submission = room.submissions[0]
    held = reviews_of(submission)
    for one in held[:3]:
        report(one)

    include_submission(submission=submission, by=room.by)

    assert {one.pk for one in reviews_of(submission)} == {one.pk for one in held[3:]}
    assert not Report.objects.filter(settled_at=None).exists()
    assert not report(held[3]).excluded  # the old ones count no more
    exclude_submission(submission=submission, by=room.by)
    submission.refresh_from_db()
    assert submission.excluded_reason == "staff"
    assert not reviews_of(submission)
    room.check()


def test_a_report_stands_in_the_way_back_and_after_reviewing_nothing_is_replaced(room):
    first, second = Review.objects.filter(assignment=room.assignment)[:2]
    report(first)
    assert [one.code for one in blockers(room.assignment, BY_CODE["allocate-again"])] == ["reviews-begun"]

    before = Review.objects.filter(assignment=room.assignment).count()
    move(room.assignment, Phase.CLOSED)
    with pytest.raises(Refused):
        report(second)
    exclude_submission(submission=second.submission, by=room.by)
    assert Review.objects.filter(assignment=room.assignment).count() == before


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_reports_at_the_same_moment_take_it_out_once(room):
    answers = at_once(report, reviews_of(room.submissions[0]))

    done = [answer for answer in answers if not isinstance(answer, Refused)]
    assert len(answers) == 6
    assert sum(answer.excluded for answer in done) == 1
    assert len(done) == 3  # the others had it taken from them in the same moment
    assert Event.objects.filter(verb="submission-excluded").count() == 1
    room.check()
    assert {len(mine) for mine in room.lists().values()} == {6}


def test_a_submission_is_reported_on_its_page_by_its_reviewer_alone_and_not_by_accident(room):
    """No reason is chosen beforehand, and the list of reports leads staff to the submission."""
    review = Review.objects.filter(reviewer=room.students[0]).first()
    client, another = room.cast.client(room.students[0]), room.cast.client(room.students[1])
    base = room.assignment.get_absolute_url()
    address = f"{base}reviews/{review.key}/report"

    form = client.get(f"{base}reviews/{review.key}/").content.decode()
    assert ('<option value="">' in form, " selected" in form) == (True, False)
    assert another.post(address, {"reason": "blank"}).status_code == 404
    none = client.post(address, {"reason": ""}, follow=True)
    said = client.post(address, {"reason": "plagiarism", "text": "Page 2 is black."}, follow=True)
    again = client.post(address, {"reason": "unreadable"}, follow=True)
    page = room.cast.client("assistant").get(f"{base}allocation/reports").content.decode()

    assert "Say what is wrong with the submission." in none.content.decode()
    assert "You now have submission" in said.content.decode()
    assert "no longer assigned to you" in again.content.decode()
    assert ("Page 2 is black." in page, "it seems to be copied" in page) == (True, True)
    assert f'href="{base}submissions/{review.submission_id}/"' in page
    assert Report.objects.count() == 1

"""Comments on submissions: hidden and shown again, with a log entry; helpfulness beside reliability."""

import pytest
from tests.web.classes.cast import team_up
from tests.web.classes.release_room import ReleaseRoom

from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.release.feedback import handle_of, received, reviewers
from peerage_web.classes.release.models import CommentReport, Helpfulness, HiddenComment
from peerage_web.classes.release.services import rate, reveal, still_to_rate
from peerage_web.classes.reviewing.models import Comment, SubmittedRanking
from peerage_web.classes.submissions.models import Submission
from peerage_web.shared.errors import Refused


@pytest.fixture
def room(cast) -> ReleaseRoom:
    return ReleaseRoom(cast)


def hide(room: ReleaseRoom, comment: Comment, reason: str = "It insults.") -> None:
    room.cast.client("assistant").post(room.page(f"feedback/{comment.pk}/hide"), {"reason": reason})


def test_a_comment_hidden_before_release_is_never_read_nor_rated(room):
    comments = Comment.objects.filter(review__submission=room.submissions[1])
    for comment in comments:
        hide(room, comment)
    room.run()
    room.release()

    assert still_to_rate(room.grade_of(1)) == []
    assert reveal(assignment=room.assignment, member=room.members[1]) is not None
    text = room.cast.client(room.members[1]).get(room.page("grade/")).content.decode()
    assert [one.text for one in comments if one.text in text] == []
    assert "Your instructor has hidden 1 comment here." in text
    assert "It insults." not in text


def test_what_reviewers_wrote_is_text_and_runs_nowhere(room):
    submitted = SubmittedRanking.objects.get(ranking__reviewer=room.members[0])
    submitted.comments = [{**one, "text": "<b>bold</b>"} for one in submitted.comments]
    submitted.save()
    room.run()
    room.release()

    author = room.cast.client(room.members[1]).get(room.page("grade/")).content.decode()
    staff = room.cast.client("assistant").get(room.page("feedback/")).content.decode()

    assert "&lt;b&gt;bold" in author
    assert "<b>bold" not in author + staff


def test_a_comment_hidden_after_release_with_a_reason_and_once_is_gone_and_comes_back(room, cast):
    room.run()
    room.release()
    comment, client = room.reviews_of(1)[0].comments.get(), room.cast.client(room.members[1])
    other = cast.course.assignments.create(title="Other", phase="released")
    path = f"{other.get_absolute_url()}feedback/{comment.pk}/hide"
    hide(room, comment, reason=" ")
    assert cast.client("instructor").post(path, {"reason": "x"}).status_code == 404
    assert comment.text in client.get(room.page("grade/")).content.decode()

    hide(room, comment)
    hide(room, comment, reason="again")
    assert comment.text not in client.get(room.page("grade/")).content.decode()
    cast.client("assistant").post(room.page(f"feedback/{comment.pk}/show"))
    assert comment.text in client.get(room.page("grade/")).content.decode()

    assert [one.verb for one in Event.objects.order_by("pk")][-2:] == ["comment-hidden", "comment-shown"]
    hidden = HiddenComment.objects.get()
    assert (hidden.reason, hidden.by) == ("It insults.", cast.people["assistant"])
    assert hidden.shown_again_at is not None
    assert Event.objects.get(verb="comment-hidden").subject == comment.review.reviewer
    assert Comment.objects.get(pk=comment.pk).text == comment.text


@pytest.mark.parametrize(("decision", "verb"), [("show", "comment-kept"), ("hide", "comment-hidden")])
def test_a_reported_review_waits_for_staff_who_keep_or_hide_it(room, cast, decision, verb):
    room.run()
    room.release()
    review, staff = room.reviews_of(1)[0], cast.client("assistant")
    for member in (room.members[2], room.members[1], room.members[1]):  # not theirs; theirs; once
        sent = {"review": handle_of(review), "text": "Rude."}
        room.cast.client(member).post(room.page("grade/report"), sent)
    assert [report.by for report in CommentReport.objects.all()] == [room.members[1]]
    reveal(assignment=room.assignment, member=room.members[1])

    link = room.page("feedback/?show=reported")
    assert "Rude." in staff.get(link).content.decode()
    assert link in staff.get(room.page("allocation/reports")).content.decode()
    assert "1 open report" in staff.get(f"/c/{cast.course.key}/").content.decode()
    staff.post(room.page(f"feedback/{review.comments.get().pk}/{decision}"), {"reason": "Rude"})

    assert link not in staff.get(room.page("allocation/reports")).content.decode()
    assert [event.verb for event in Event.objects.order_by("pk")][-2:] == ["comment-reported", verb]


def test_who_keeps_a_reported_review_visible_shows_nothing_that_is_hidden(room, cast):
    submitted = SubmittedRanking.objects.get(ranking__reviewer=room.members[0])
    review = room.assignment.reviews.get(pk=submitted.comments[0]["review"])
    general = review.comments.create(text="And more.")
    submitted.comments = [*submitted.comments, {"review": review.pk, "prompt": None, "text": "And more."}]
    submitted.save()
    hide(room, review.comments.get(prompt=room.prompt))
    room.run()
    room.release()
    CommentReport.objects.create(review=review, by=room.members[1])

    page = cast.client("assistant").get(room.page("feedback/?show=reported")).content.decode()

    form = page[: page.index("Keep it visible")].rpartition("<form")[2]
    assert room.page(f"feedback/{general.pk}/show") in form


def test_staff_find_hidden_and_unhelpful_comments(room, cast):
    hide(room, room.reviews_of(1)[0].comments.get())
    room.reviews_of(2)[0].helpfulness.create(by=room.members[2], rating=1)
    client = cast.client("assistant")

    hidden = client.get(room.page("feedback/?show=hidden")).content.decode()
    unhelpful = client.get(room.page("feedback/?show=unhelpful")).content.decode()
    nobody = client.get(room.page("feedback/?search=Nobody")).content.decode()

    heads = [f'id="submission-{submission.pk}"' for submission in room.submissions]
    assert [head in hidden for head in heads] == [False, True, False, False]
    assert [head in unhelpful for head in heads] == [False, False, True, False]
    assert [head in nobody for head in heads] == [False] * 4
    assert "It insults." in hidden


def test_helpfulness_stands_beside_reliability(room, cast):
    room.run()
    room.release()
    for submission, rating in ((1, 5), (2, 4)):  # both reviewed by the first
        (review,) = [one for one in room.reviews_of(submission) if one.reviewer == room.members[0]]
        review.helpfulness.create(by=room.members[submission], rating=rating)

    rows = {one.membership: one for one in reviewers(room.assignment)}
    first = rows[room.members[0]]
    assert (first.rating, first.ratings, first.result.reliability) == (4.5, 2, 1.5)
    assert rows[room.members[1]].rating is None
    lowest = reviewers(room.assignment, "reliability")[0]
    assert lowest.membership == room.members[3]
    text = cast.client("assistant").get(room.page("release/reviewers?sort=helpfulness")).content.decode()
    assert text.index("4.5 out of 5") < text.index(">Student 2<")
    assert "Opposite to the other reviewers" in text


def test_every_member_of_a_team_rates_alone(cast):
    """What one has rated and seen does not show the grade to the other."""
    room = ReleaseRoom(cast)
    Assignment.objects.filter(pk=room.assignment.pk).update(in_teams=True)
    team = team_up(room.assignment, [room.members[1], room.members[4]])
    Submission.objects.filter(pk=room.submissions[1].pk).update(author=None, team=team)
    room.run()
    room.release()
    ratings = {handle_of(one): 3 for one in room.reviews_of(1)}

    rate(assignment=room.assignment, member=room.members[1], ratings=ratings)

    assert reveal(assignment=room.assignment, member=room.members[1]).points == 70.0
    assert reveal(assignment=room.assignment, member=room.members[4]) is None
    with pytest.raises(Refused):
        rate(assignment=room.assignment, member=room.members[1], ratings=ratings)
    rate(assignment=room.assignment, member=room.members[4], ratings=ratings)
    assert reveal(assignment=room.assignment, member=room.members[4]).points == 70.0
    assert sorted(one.rating for one in Helpfulness.objects.all()) == [3, 3, 3, 3]
    (both,) = received([room.submissions[1]]).values()
    assert [one.ratings for one in both] == [(3, 3), (3, 3)]

"""Saving a ranking: versions, two tabs, submissions that leave; and submitting it."""

import json
from datetime import timedelta

import pytest
from django.db import OperationalError, transaction
from django.test import Client
from django.utils import timezone
from tests.web.at_work import PATIENCE, at_once, beginning_meanwhile
from tests.web.classes.cast import allocate, extend, move, submit
from tests.web.page_facts import texts

from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import FeedbackPrompt
from peerage_web.classes.enums import Phase
from peerage_web.classes.reviewing.models import Comment, Ranking, SubmittedRanking
from peerage_web.classes.reviewing.queries import content_of, count_words
from peerage_web.classes.reviewing.ranking_input import CommentInput, RankingInput, before
from peerage_web.classes.reviewing.services import (
    BETWEEN,
    Incomplete,
    fingerprint,
    merged,
    save,
    submit_ranking,
)
from peerage_web.shared.errors import Refused

AS_SCRIPT = {"content_type": "application/json", "headers": {"Accept": "application/json"}}


@pytest.fixture
def room(cast):
    """The first student has three submissions to rank and two questions to answer about each."""
    where, reviewer = cast.assignment, cast.students[0]
    cast.reviews = allocate(where, reviewer, [submit(where, one) for one in cast.students[1:4]])
    cast.good = FeedbackPrompt.objects.create(assignment=where, position=1, text="Good?")
    cast.better = FeedbackPrompt.objects.create(assignment=where, position=2, text="Better?", required=True)
    move(where, Phase.REVIEWING)
    cast.path = f"/c/{cast.course.key}/a/{where.key}/reviews/"

    def put(tiers=None, version=0, **comments):
        """`A=("text", 0)` is the answer about A to the question that has to be answered."""
        given = [CommentInput(label, cast.better.pk, *one) for label, one in comments.items()]
        sent = RankingInput(tiers, version, tuple(given))
        return save(assignment=where, reviewer=reviewer, sent=sent)

    cast.put = put
    return cast


def complete(room) -> None:
    room.put([["B"], ["A", "C"]], A=("a", 0), B=("b", 0), C=("c", 0))


def take(room) -> SubmittedRanking:
    reviewer = room.students[0]
    return submit_ranking(assignment=room.assignment, reviewer=reviewer, by=reviewer.person)


# -- saving ----------------------------------------------------------------------------------------


def test_looking_begins_nothing_and_opens_a_submission_once(room):
    client, one = room.client("student"), room.reviews[0]
    assert "Not ranked" in texts(client.get(room.path), "option")
    assert not Ranking.objects.exists()

    opened = []
    for more in ("", "?part=1"):
        client.get(f"{room.path}{one.key}/{more}")
        opened.append(Review.objects.get(pk=one.pk).opened_at)
    assert opened[0] == opened[1] is not None


def test_order_that_was_overtaken_is_not_saved_but_its_comments_are(room):
    first = room.put([["A"], ["B"]])
    second = room.put([["B"], ["A"], ["C"]], version=first.version)
    assert (first.version, second.version, second.in_conflict) == (1, 2, False)
    assert second.tiers == [["B"], ["A"], ["C"]]

    answer = room.put([["A"], ["B"]], version=1, C=("late", 0))

    assert answer.in_conflict
    assert (answer.tiers, answer.version) == (second.tiers, 2)
    assert Comment.objects.get().text == "late"


def test_the_same_save_twice_is_one_and_comments_of_two_tabs_meet(room):
    """An answer that was lost on its way is asked for again."""
    for _ in range(2):
        answer = room.put([["A"]], A=("from one tab", 0), B=("only here", 0))
    assert (answer.version, answer.in_conflict) == (1, False)
    assert answer.comments[0] == CommentInput("A", room.better.pk, "from one tab", 1)

    answer = room.put(A=("from another", 0), C=("only there", 0))

    assert [one.text for one in answer.comments] == [f"from one tab{BETWEEN}from another", "only there"]
    assert Comment.objects.count() == 3


def test_merging_keeps_both_unless_one_holds_the_other():
    merges = {("ab", "abc"): "abc", ("abc", "ab"): "abc", ("", "x"): "x", ("a", "b"): f"a{BETWEEN}b"}

    assert {pair: merged(*pair) for pair in merges} == merges


def test_submission_that_was_replaced_leaves_the_order_and_its_comment_stays(room):
    room.put([["A"], ["B", "C"]], B=("kept", 0))
    Review.objects.filter(label="B").update(state=Review.State.REPLACED, ended_at=timezone.now())

    answer = room.put([["C"], ["B"], ["A"]], version=1, B=("kept, and more", 1))

    assert answer.tiers == [["C"], ["A"]]
    assert answer.submissions == ("A", "C")
    assert Comment.objects.get().text == "kept, and more"


def test_answer_to_a_question_that_was_taken_away_becomes_a_comment(room):
    room.better.delete()
    room.better.pk = 10**9

    room.put(A=("typed", 0))

    assert (Comment.objects.get().prompt, Comment.objects.get().text) == (None, "typed")
    assert "typed" in room.client("student").get(room.path).content.decode()


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_saves_at_once_lose_nothing(room):
    """Six tabs, each with its own comment and the same order: whatever the moment, all of it is there."""
    at_once(lambda number: room.put([["A"], ["B"], ["C"]], A=(f"<{number}>", 0)), range(6))

    assert Ranking.objects.get().version == 1
    assert sorted(Comment.objects.get().text.split(BETWEEN)) == sorted(f"<{number}>" for number in range(6))


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_of_orders_saved_at_once_one_is_taken(room):
    """A tab saves while another one, which started from the same order, is in the middle of it."""
    room.put([["A"], ["B"], ["C"]])

    with transaction.atomic():
        first = room.put([["B"], ["A"], ["C"]], version=1)
        second = beginning_meanwhile(lambda: room.put([["C"], ["B"], ["A"]], version=1))
    second = second.result(PATIENCE)

    assert (first.in_conflict, second.in_conflict) == (False, True)
    assert second.tiers == Ranking.objects.get().tiers == [["B"], ["A"], ["C"]]


# -- the pages -------------------------------------------------------------------------------------


def test_the_page_of_a_submission_does_not_say_whose_it_is(room):
    """Of single authors; those of the search for leaks are teams."""
    for review in room.reviews:
        author = review.submission.author
        for more in ("", "?part=1"):
            page = room.client("student").get(f"{room.path}{review.key}/{more}").content.decode()
            said = (author.shown_name, author.person.email, author.student_id, "poster.png")
            assert [word for word in said if word in page] == []


def post_json(room, **body):
    return room.client("student").post(room.path + "save", json.dumps(body), **AS_SCRIPT)


def test_script_saves_and_hears_of_an_overtaken_order_and_of_submissions_that_are_not_its_own(room):
    assert post_json(room, tiers=[["A"]], version=0).json()["version"] == 1

    answer = post_json(room, tiers=[["B"]], version=0)
    strange = post_json(room, tiers=[["Z"]], version=0)
    signed_out = room.client(None).post(room.path + "save", "{}", **AS_SCRIPT)

    assert answer.status_code == 409
    assert (answer.json()["code"], answer.json()["tiers"]) == ("conflict", [["A"]])
    assert (strange.status_code, strange.json()["code"]) == (422, "refused")
    assert (signed_out.status_code, signed_out.json()["code"]) == (401, "signed-out")


def test_form_saves_shows_two_orders_and_saves_the_chosen_one(room):
    client, typed = room.client("student"), {f"comment-A-{room.better.pk}": "text"}
    answer = client.post(room.path + "save", {"place-A": "2", "place-B": "2", **typed})
    assert answer.status_code == 302
    assert Ranking.objects.get().tiers == [["A", "B"]]
    assert Comment.objects.get().text == "text"

    form = {"place-A": "2", "place-B": "1", "before": before([], 0)}
    answer = client.post(room.path + "save", form)

    assert answer.status_code == 409
    assert "The ranking saved elsewhere: A = B" in texts(answer, "p")
    hidden = answer.context["sheet"].before
    assert client.post(room.path + "save", {**form, "before": hidden}).status_code == 302
    assert Ranking.objects.get().tiers == [["B"], ["A"]]


def test_form_is_handed_back_where_it_cannot_be_taken(room, monkeypatch):
    """Refused, signed out, sent from an old page, or while the database is away: nothing typed is lost."""
    form = {"place-A": "1", f"comment-A-{room.better.pk}": "typed <b>"}

    refused = room.client("student").post(room.path + "save", {**form, "place-Z": "2"})
    answer = room.client(None).post(room.path + "save", form)
    old_token = Client(enforce_csrf_checks=True)
    old_token.force_login(room.people["student"])
    forged = old_token.post(room.path + "save", form)
    monkeypatch.setattr("peerage_web.classes.reviewing.services.save", _away)
    client = room.client("student")
    client.raise_request_exception = False
    away = client.post(room.path + "save", form)

    assert [one.status_code for one in (refused, answer, forged, away)] == [422, 401, 403, 503]
    for one in (refused, answer, forged, away):
        assert "typed &lt;b&gt;</textarea>" in one.content.decode()
    assert '<option value="1" selected>' in refused.content.decode()
    assert '<input type="hidden" name="place-A" value="1">' in answer.content.decode()
    assert not Ranking.objects.exists()


def _away(**named):
    raise OperationalError("gone")


# -- submitting ------------------------------------------------------------------------------------


def test_what_is_missing_is_said_and_ties_only_where_they_are_allowed(room):
    def missing() -> list[tuple[str, tuple[str, ...]]]:
        with pytest.raises(Incomplete) as refusal:
            take(room)
        return [(one.code, one.labels) for one in refusal.value.missing]

    room.put([["A"], ["B"]], A=("a", 0), B=("  ", 0))
    assert missing() == [("not-ranked", ("C",)), ("not-answered", ("B", "C"))]

    room.put([["B"], ["A", "C"]], version=1, B=("b", 1), C=("c", 0))
    room.assignment.ties_allowed = False
    room.assignment.save()
    assert missing() == [("ties", ("A", "C"))]


def test_comments_below_the_minimum_length_are_refused_and_kept(room):
    type(room.assignment).objects.filter(pk=room.assignment.pk).update(min_comment_words=3)
    complete(room)
    room.put(A=("Clear, well-argued … and short", 1), B=("two words", 1))
    good = CommentInput("B", room.good.pk, "and one", 0)  # all answers about a submission count together
    save(assignment=room.assignment, reviewer=room.students[0], sent=RankingInput(None, 0, (good,)))

    answer = room.client("student").post(room.path + "submit", {f"comment-C-{room.better.pk}": "more"})

    assert answer.status_code == 422
    told = "Write more about submission C. The minimum length is 3 words per submission."
    assert told in texts(answer, "li")
    assert "Words about this submission: 2. Minimum: 3." in texts(answer, "p")
    assert "c\n\n* * *\n\nmore" in answer.content.decode()
    assert not SubmittedRanking.objects.exists()


def test_words_are_counted_as_people_count_them():
    counted = {"": 0, " … – ": 0, "It's well-argued.": 2, "Clear – but short!": 3, "很好的海報": 5}

    assert {text: count_words(text) for text in counted} == counted


def test_submitting_keeps_order_and_comments_with_a_receipt(room):
    complete(room)

    kept = take(room)

    of = {one.label: one.pk for one in room.reviews}
    assert kept.tiers == [[of["B"]], sorted([of["A"], of["C"]])]
    assert [one["text"] for one in kept.comments] == ["a", "b", "c"]
    assert kept.sha256 == fingerprint(content_of(kept))
    assert (kept.number, kept.is_late) == (1, False)
    assert room.client("neighbour").get(f"{room.path}receipts/{kept.receipt}/").status_code == 404

    assert take(room) == kept  # the same again is the same receipt, and a change a new one
    room.put([["A"], ["B"], ["C"]], version=1)
    assert take(room).number == 2
    assert SubmittedRanking.objects.count() == 2


def test_submitting_by_form_says_what_is_missing_asks_about_names_once_and_leads_to_the_receipt(room):
    client, path = room.client("student"), room.path + "submit"
    answer = client.post(path, {"place-A": "1"})
    assert answer.status_code == 422
    told = "Submissions B, C are not ranked yet. If you cannot review one of them, report it."
    assert told in texts(answer, "li")
    assert Ranking.objects.get().tiers == [["A"]]  # the rest is saved

    room.put(A=("Student 2 wrote this, I think", 0), B=("b", 0), C=("c", 0))
    form = {"place-A": "2", "place-B": "1", "place-C": "2", "before": before([["A"]], 1)}
    answer = client.post(path, form)
    assert answer.status_code == 422
    assert "Student 2" in texts(answer, "li")

    answer = client.post(path, {"names_are_fine": "yes"}, follow=True)
    kept = SubmittedRanking.objects.get()
    assert {kept.sha256, kept.receipt} <= set(texts(answer, "code"))
    assert "B > A = C" in texts(answer, "dd")

    room.put([["A"], ["B"], ["C"]], version=Ranking.objects.get().version)
    assert client.post(path).status_code == 302  # of the same comments nobody is asked again
    assert SubmittedRanking.objects.count() == 2

    comment = Comment.objects.get(review__label="A")
    room.put(A=(f"{comment.text}, or not", comment.version))
    assert client.post(path).status_code == 302  # nor of the same name
    room.put(A=(f"{comment.text}, or Student 3", comment.version + 1))
    assert client.post(path).status_code == 422


def test_after_the_own_date_it_is_late_and_an_extension_counts(room):
    complete(room)
    where, now = room.assignment, timezone.now()
    where.by_date = False
    where.due_at, where.reviews_due_at = now - timedelta(days=3), now - timedelta(days=1)
    where.save()
    extension = extend(where, room.students[0], reviews_due_at=now + timedelta(days=1))
    assert not take(room).is_late

    extension.delete()
    room.put([["A"], ["B"], ["C"]], version=1)
    assert take(room).is_late


def test_nothing_is_taken_once_reviewing_is_closed(room):
    complete(room)
    room.put(A=("written", 1))
    move(room.assignment, Phase.CLOSED)
    client = room.client("student")

    with pytest.raises(Refused, match="The review phase is over"):
        take(room)

    assert "written" in client.get(room.path).content.decode()  # it can be read
    assert client.post(room.path + "save", {"place-A": "2"}).status_code == 409
    assert post_json(room, tiers=[], version=1).json()["code"] == "phase"

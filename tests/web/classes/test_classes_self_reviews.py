"""Self-reviews: after the ranking, for the author and staff alone, and never for a grade."""

import pytest
from tests.web.classes.cast import move
from tests.web.classes.grading_room import GradingRoom
from tests.web.page_facts import texts

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.enums import Phase
from peerage_web.classes.erasure.services import erase_member, export_member
from peerage_web.classes.grading.inputs import inputs_of
from peerage_web.classes.reviewing.models import SelfReview
from peerage_web.classes.reviewing.self_reviews import save_self_review
from peerage_web.shared.errors import Refused


@pytest.fixture
def room(cast) -> GradingRoom:
    """Everybody but the last has ranked four submissions."""
    room = GradingRoom(cast)
    Assignment.objects.update(self_review=True)
    move(room.assignment, Phase.REVIEWING)
    return room


def test_an_author_ranks_the_own_submission_among_those_they_reviewed(room):
    base, client = room.assignment.get_absolute_url(), room.cast.client("student")
    path = f"{base}self-review"
    page = client.get(path)
    assert len(texts(page, ".tick")) == 5
    for rank in ("", "0", "6", "x"):
        refused = client.post(path, {"rank": rank, "comment": "Typed"})
        assert (refused.status_code, texts(refused, "textarea")) == (422, ["Typed"])
    assert not SelfReview.objects.exists()

    client.post(path, {"rank": "2", "comment": "The figure is good."})
    client.post(path, {"rank": "3", "comment": "Or not."})

    kept = SelfReview.objects.get()
    assert (kept.rank, kept.ranks, kept.comment, kept.submission) == (3, 5, "Or not.", room.submissions[0])
    assert "Own submission: rank 3 of 5." in texts(client.get(base), "p")
    assert "Or not." in texts(room.cast.client("assistant").get(f"{base}feedback/"), ".said")
    others = [room.cast.client("neighbour").get(path) for path in (base, f"{base}reviews/")]
    assert all("Or not." not in other.content.decode() for other in others)


def test_it_comes_after_the_ranking_and_only_where_it_is_asked_for(room):
    client, path = room.cast.client(room.members[-1]), f"{room.assignment.get_absolute_url()}self-review"
    assert "First submit your own files and your ranking of the others." in texts(client.get(path), "p")
    assert client.post(path, {"rank": "1"}).status_code == 409

    room.assignment.self_review = False
    with pytest.raises(Refused):
        save_self_review(assignment=room.assignment, member=room.members[0], rank=1, comment="")


def test_grades_are_the_same_bytes_with_and_without(room):
    before = inputs_of(room.assignment).files
    move(room.assignment, Phase.CLOSED)
    first = room.run()
    move(room.assignment, Phase.REVIEWING)
    for member in room.members[:-1]:
        save_self_review(assignment=room.assignment, member=member, rank=1, comment="Mine is best.")
    move(room.assignment, Phase.CLOSED)

    second = room.run()

    assert SelfReview.objects.count() == len(room.members) - 1
    assert inputs_of(room.assignment).files == before
    assert second.inputs_sha256 == first.inputs_sha256
    results = [
        {path.name: path.read_bytes() for path in (run.job.folder / "attempt-1").rglob("*") if path.is_file()}
        for run in (first, second)
    ]
    assert results[0] == results[1] != {}


def test_it_is_in_the_data_of_its_author_and_goes_with_them(room):
    save_self_review(assignment=room.assignment, member=room.members[0], rank=1, comment="Mine")
    assert export_member(member=room.members[0])["self_reviews"][0]["comment"] == "Mine"

    erase_member(member=room.members[0], by=room.by)

    assert not SelfReview.objects.exists()

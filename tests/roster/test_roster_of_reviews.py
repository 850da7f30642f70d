"""Who made what, from columns of the feedback itself."""

from peerage import Reading, Roster, check, read
from peerage.roster.input import roster_of_reviews


def test_owner_columns_of_the_feedback_make_a_roster():
    reviews = (
        b"grader,item,score,owner,group\n"
        b"ada,A,1,ada,1\nada,B,2,bob,1\nbob,C,1,2,1\ncyd,B,3,bob,2\ncyd,C,1,2,2\n"
    )

    preflight = check(read(reviews, direction="scores"), roster_of_reviews(reviews, Reading()))

    assert preflight.finding("own-work").examples() == ["ada on A", "cyd on C"]  # C is group 2's
    assert preflight.finding("own-group").examples() == ["ada on B"]
    assert preflight.finding("not-on-roster") is None


def test_an_item_has_other_owners_in_another_task():
    reviews = (
        b"task,grader,item,score,owner\n"
        b"t1,ada,A,7,bob\nt1,ada,B,8,cyd\nt2,ada,A,7,ada\nt2,ada,B,8,bob\nt1,bob,B,7,cyd\nt2,bob,A,8,ada\n"
    )

    preflight = check(read(reviews), roster_of_reviews(reviews, Reading()))

    assert preflight.finding("own-work").examples() == ["ada on A in task t2"]


def test_files_without_owners_have_no_roster():
    long, matrix = b"grader,item,score\nada,A,1\n", b"group,A,B\n1,1,2\n"

    for data in (long, matrix, b"t1 ada A > B\n", b"# ALT\n1: 1,2\n"):
        assert roster_of_reviews(data, Reading()) is None


def test_a_long_file_is_opened_by_its_header_only():
    row = b"ada,item number %d,1\n"
    data = b"grader,item,score\n" + b"".join(row % n for n in range(5_000)) + b"broken\n"

    assert roster_of_reviews(data, Reading()) is None


def test_a_long_file_in_two_bytes_per_letter_has_owners_too():
    text = "grader,item,score,owner\n" + "".join(f"ada,item number {n},1,bob\n" for n in range(5_000))

    assert len(roster_of_reviews(text.encode("utf-16"), Reading()).makers) == 5_000


def test_owners_may_be_called_authors_and_columns_named():
    data = b"who,what,score,Author\nada,A,1,ada\n"

    roster = roster_of_reviews(data, Reading(columns={"grader": "who", "item": "what"}))

    assert isinstance(roster, Roster)
    assert roster.makers.rows() == [(None, "A", "ada")]

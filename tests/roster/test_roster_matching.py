"""A roster and a class that write names differently."""

import polars as pl
import pytest

from peerage import DataError, check, grade, read, read_roster
from peerage.grading.output.export import gradebook
from peerage.roster.container import match_names

CLASS = (
    b"grader,item,score\nAda Lovelace,Bob Ray,7\nAda Lovelace,Cyd May,8\nBob Ray,Ada Lovelace,5\n"
    b"Bob Ray,Cyd May,9\nCyd May,Ada Lovelace,6\nCyd May,Bob Ray,3\n"
)
TURNED = b'student\n"Lovelace, Ada"\n"RAY, Bob"\n"May, Cyd"\n'


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        (["Lovelace, Ada"], ["Ada Lovelace", "Bob"], {"Lovelace, Ada": "Ada Lovelace"}),
        (["Ada Lovelace"], ["Lovelace, Ada"], {"Ada Lovelace": "Lovelace, Ada"}),
        (["ada", "Ada"], ["Ada"], {"Ada": "Ada"}),
        (["ADA"], ["ada", "Ada"], {}),
        (["Lovelace, Ada"], ["Ada Lovelace", "ada lovelace"], {}),
        (["Ray, Bob, Dr."], ["Bob Ray"], {}),
    ],
)
def test_names_are_turned_round_where_there_is_one_candidate_and_none_is_exact(ours, theirs, same):
    assert match_names(pl.Series(ours), pl.Series(theirs)) == same


def test_own_work_is_found_under_the_other_name_and_the_match_is_said():
    text = CLASS + b"Ada Lovelace,Ada Lovelace,9\n"

    preflight = check(read(text), read_roster(TURNED))

    assert preflight.finding("own-work").cases["grader"].to_list() == ["Ada Lovelace"]
    assert preflight.notes == (
        "names of the roster matched to the feedback: 'Lovelace, Ada' is 'Ada Lovelace',"
        " 'May, Cyd' is 'Cyd May', 'RAY, Bob' is 'Bob Ray'",
    )


def test_a_grade_book_keeps_the_names_of_the_roster():
    book = gradebook(grade(read(CLASS), scale="0:100", curve="70:10"), read_roster(TURNED), "csv")

    assert book["student"].to_list() == ["Lovelace, Ada", "RAY, Bob", "May, Cyd"]
    assert book["grade"].null_count() == 0


def test_a_roster_that_matches_nobody_or_no_graded_work_is_refused():
    roster = read_roster({"student": ["Ada Lovelace", "Bob Ray"], "item": ["q1", "q2"]})

    with pytest.raises(DataError) as caught:
        check(read(CLASS), read_roster({"student": [f"u{n}" for n in range(14)]}))
    with pytest.raises(DataError, match="0 of 2 matched: none of the roster's work was graded"):
        gradebook(grade(read(CLASS)), roster, "csv")

    text = str(caught.value)
    assert "0 of 14 matched" in text
    assert "on the roster:   'u0', 'u1', 'u10'" in text
    assert "in the feedback: 'Ada Lovelace', 'Bob Ray', 'Cyd May'" in text

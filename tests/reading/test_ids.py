"""One person, one name: labels that differ in nothing but their writing."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from peerage import check, read
from peerage.feedback.labels import fold_key, fold_keys, group_spellings

TWICE = (
    b"grader,item,score\nS042@UNI.EDU,x,7\ns042@uni.edu ,y,8\ns042@uni.edu,z,6\n"
    b"b@uni.edu,x,5\nb@uni.edu,y,9\n"
)

ONE_NAME = [
    ("S042@UNI.EDU", "s042@uni.edu"),
    ("Ada  Lovelace", "ada lovelace"),
    ("Ada\u00a0Lovelace", "Ada Lovelace"),
    ("Zo\u00eb", "Zoe\u0308"),
    ("Stra\u00dfe", "STRASSE"),
    ("\u200bada", "ada"),
    ("\uff21da", "Ada"),
]
TWO_NAMES = [("1", "01"), ("ada", "adam"), ("a b", "ab"), ("Zoe", "Zo\u00eb")]


def test_spellings_of_one_name_have_one_key_and_other_names_another():
    assert [pair for pair in ONE_NAME if fold_key(pair[0]) != fold_key(pair[1])] == []
    assert [pair for pair in TWO_NAMES if fold_key(pair[0]) == fold_key(pair[1])] == []


def test_they_are_joined_under_the_usual_spelling_if_asked_and_it_is_said():
    head, *rows = TWICE.decode().splitlines()

    feedback = read(TWICE, ids="fold")

    assert read(TWICE).n_graders == 3
    assert feedback.grader_labels.to_list() == ["b@uni.edu", "s042@uni.edu"]
    (note,) = feedback.notes
    assert note == "1 grader joined that was written in several ways: 'S042@UNI.EDU' and 's042@uni.edu'"
    assert read("\n".join([head, *rows[::-1]]).encode(), ids="fold").equals(feedback)


def test_in_every_format():
    pairs = b"judge,winner,loser\nAda,x,y\nada,y,z\n"

    for text in (b"t Ada x > y\nt ada y > z\n", b"Ada: x > y\nada: y > z\n", pairs):
        assert (read(text).n_graders, read(text, ids="fold").n_graders) == (2, 1)


def test_check_offers_it():
    finding = check(read(TWICE)).finding("labels-alike")

    assert finding.severity == "warning"
    assert finding.examples() == ["grader 'S042@UNI.EDU' and 's042@uni.edu'"]
    assert "ids='fold'" in finding.advice
    assert check(read(TWICE, ids="fold")).finding("labels-alike") is None
    in_two_tasks = b"task,grader,item,rank\n1,a,X,1\n1,a,y,2\n2,a,x,1\n2,a,y,2\n"
    assert check(read(in_two_tasks)).finding("labels-alike") is None


SIGNS = "aB \t\n\u00a0\u200b\u00df\uff21e\u0308\x1c!~"


@given(st.lists(st.text(st.sampled_from(SIGNS), max_size=6), max_size=8))
def test_all_keys_at_once_are_those_of_every_label(labels):
    series, keys = pl.Series(labels, dtype=pl.String), [fold_key(label) for label in labels]
    groups = {key: sorted(label for label in labels if fold_key(label) == key) for key in keys}

    assert fold_keys(series).to_list() == keys
    assert sorted(group_spellings(series)) == sorted(group for group in groups.values() if len(group) > 1)

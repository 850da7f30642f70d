"""Files as forms, surveys and learning platforms export them go in without a spreadsheet in between."""

from __future__ import annotations

import exports
import pytest
from exports import ITEMS, ORDERS

from peerage import AmbiguousReadingError, DataError, inspect, read
from peerage.reading.formats import EXPORTS
from peerage.roster.reader import read_roster

NAMED = {  # the maker, and what the notes say
    "google_grid_of_ranks": "Google Forms",
    "google_grid_of_places": "Google Forms",
    "google_best_second_third": "Google Forms",
    "google_rating_grid": "Google Forms",
    "google_numbered_columns": "Google Forms",
    "microsoft_ranking": "Microsoft Forms",
    "qualtrics_rank_order": "Qualtrics",
    "limesurvey_ranking": "LimeSurvey",
    "moodle_workshop": "Moodle Workshop",
    "canvas_peer_reviews": "Canvas",
    "cmt_reviews": "HotCRP or Microsoft CMT",
    "hotcrp_reviews": "HotCRP or Microsoft CMT",
    "chains_in_cells": None,
    "chains_in_lines": None,
    "matrix_under_titles": None,
    "workbook_with_a_title": None,
}
NOTES = {  # what else is said of some of them
    "google_grid_of_ranks": ("column ignored: 'Comments'",),
    "qualtrics_rank_order": (
        "2 more header rows of Qualtrics left out",
        "1 row left out: previews of the survey, no answers",
    ),
    "canvas_peer_reviews": ("1 row left out: reviews that were not written yet",),
    "moodle_workshop": ("1 assessment without a grade left out",),
    "matrix_under_titles": (
        "2 lines above the header left out: 'Peer review, week 1: points of 100', '1 March 2026'",
    ),
    "workbook_with_a_title": ("1 line above the header left out: 'Peer review of posters'",),
}


@pytest.mark.parametrize("maker", NAMED)
def test_every_export_is_read_whole(maker):
    data = getattr(exports, maker)()

    feedback, found = read(data), inspect(data)

    assert sorted(feedback.orders()) == ORDERS
    assert feedback.direction is not None
    said = [note for note in feedback.notes if note.startswith("read as an export of")]
    assert said == ([f"read as an export of {NAMED[maker]}"] if NAMED[maker] else [])
    assert [note for note in NOTES.get(maker, ()) if note not in feedback.notes] == []
    assert found.problems == ()
    assert found.layout in ("long", "matrix", "places", "orders", "lists")


def test_times_and_addresses_are_left_out_in_silence_and_items_are_those_in_brackets():
    feedback = read(exports.google_grid_of_ranks())

    assert feedback.notes == ("read as an export of Google Forms", "column ignored: 'Comments'")
    assert feedback.item_labels.to_list() == ITEMS


@pytest.mark.parametrize("maker", ["microsoft_anonymous_ranking", "qualtrics_anonymous"])
def test_answers_without_names_are_known_by_their_number(maker):
    feedback = read(getattr(exports, maker)())

    assert [order for _, order in feedback.orders()] == [order for _, order in ORDERS]


def test_every_source_has_a_maker():
    told = {words for words in NAMED.values() if words}

    assert {source.words for source in EXPORTS.values()} == told


def test_one_of_two_questions_is_chosen():
    data = exports.qualtrics_side_by_side()

    with pytest.raises(DataError, match=r"there are 2 questions .* choose one with question="):
        read(data)
    assert sorted(read(data, question="quality").orders()) == ORDERS
    with pytest.raises(DataError, match="no question 'looks' found; the file has 'Rate every poster: Qual"):
        read(data, question="looks")


def test_a_canvas_grade_book_is_a_roster_and_no_feedback():
    with pytest.raises(DataError, match="a Canvas grade book: it has a grade per student, and no reviews"):
        read(exports.canvas_gradebook())

    roster = read_roster(exports.canvas_gradebook())
    assert roster.rows["student"].to_list() == ["Lovelace, Ada", "Ray, Bob"]
    assert roster.notes == (
        "1 row left out: the points possible of Canvas",
        "1 row left out: the test student of Canvas",
    )


def test_rows_can_be_skipped_by_number():
    text = b"made by,the office\nof,this school\ngrader,item,rank\na,x,1\na,y,2\n"

    assert read(text, skip_rows=2).n_entries == 2
    assert read(exports.workbook_with_a_title(), skip_rows=2).n_entries == 16


def test_lines_in_messages_are_those_of_the_file_below_titles():
    text = exports.matrix_under_titles().replace(b"95", b"ninety", 1)

    with pytest.raises(DataError, match="line 5, column 'Poster B': 'ninety' is neither a rank nor a score"):
        read(text, "matrix")


def test_other_sheets_are_listed_where_the_first_holds_no_reviews():
    data = exports.workbook_with_a_cover()

    with pytest.raises(AmbiguousReadingError, match="sheet 'Read me' has one column") as caught:
        read(data)
    assert [offered.reading.sheet for offered in caught.value.readings] == ["Reviews"]
    assert sorted(read(data, sheet="Reviews").orders()) == ORDERS


@pytest.mark.parametrize(
    "text",
    [
        b"P3 > P1 = P7 > P2\n",
        b"student,order of merit\nada,P3 > P1 = P7 > P2\nbob,P1 > P3 > P2 > P7\n",  # no line of PGF
    ],
)
def test_ties_in_a_chain(text):
    assert next(iter(read(text).orders()))[1] == [["P3"], ["P1", "P7"], ["P2"]]


def test_ticked_boxes_are_no_ranking():
    """They come as lists, too, but always in the order of the form."""
    head = "ID,Start time,Completion time,Email,Which posters did you see?\n"
    rows = "".join(f"{n},1,2,s{n}@uni.edu,{cell}\n" for n, cell in enumerate(["A;B;", "A;C;", "B;C;"]))

    with pytest.raises(DataError):
        read((head + rows).encode())


def test_codes_of_limesurvey():
    head = '"id","submitdate","lastpage","startlanguage","Q1[1]","Q1[2]","Q1[3]"\n'
    rows = '"1","2026-03-01","2","en","A2","A1","A3"\n"2","2026-03-01","2","en","A1","A2",""\n'

    assert [order for _, order in read((head + rows).encode()).orders()] == [
        [["A2"], ["A1"], ["A3"]],
        [["A1"], ["A2"]],
    ]

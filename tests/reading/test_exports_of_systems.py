"""Files as forms, surveys and learning platforms export them: what the battery does not ask of them."""

import pytest
from tests.reading.battery.case import as_workbook

from peerage import AmbiguousReadingError, DataError, read
from peerage.roster.reader import read_roster

LONG = [["reviewer", "poster", "rank"], ["ada", "A", 1], ["ada", "B", 2], ["bob", "B", 1], ["bob", "A", 2]]
ORDERS = [("ada", [["A"], ["B"]]), ("bob", [["B"], ["A"]])]


def test_one_of_two_questions_is_chosen():
    """Two columns for every poster: only the instructor knows which is the grade."""
    rate = "Rate every poster - {} - {}".format
    texts = [rate(question, item) for question in ("Quality", "Clarity") for item in "AB"]
    data = (
        "StartDate,RecordedDate,ResponseId,RecipientEmail,Q4#1_1,Q4#1_2,Q4#2_1,Q4#2_2\n"
        f"Start Date,Recorded Date,Response ID,Recipient Email,{','.join(texts)}\n"
        "2026-03-01,2026-03-01,R_1,ada,90,80,70,70\n2026-03-01,2026-03-01,R_2,bob,60,80,70,70\n"
    ).encode()

    with pytest.raises(DataError, match=r"there are 2 questions .* choose one with question="):
        read(data)
    assert list(read(data, question="quality").orders()) == ORDERS
    with pytest.raises(DataError, match="no question 'looks' found; the file has 'Rate every poster: Qual"):
        read(data, question="looks")


def test_a_canvas_grade_book_is_a_roster_and_no_feedback():
    data = (
        b"Student,ID,SIS User ID,SIS Login ID,Section,Poster (4757),Final Score\n"
        b"    Points Possible,,,,,10,(read only)\n"
        b'"Lovelace, Ada",101,u1,ada@uni.edu,01,9,90\n"Ray, Bob",102,u2,bob@uni.edu,01,,0\n'
        b'"Student, Test",999,,,01,,\n'
    )

    roster = read_roster(data)

    assert roster.rows["student"].to_list() == ["Lovelace, Ada", "Ray, Bob"]
    assert roster.notes == (
        "1 row left out: the points possible of Canvas",
        "1 row left out: the test student of Canvas",
    )
    with pytest.raises(DataError, match="a Canvas grade book: it has a grade per student, and no reviews"):
        read(data)


def test_rows_can_be_skipped_by_number():
    text = b"made by,the office\nof,this school\ngrader,item,rank\na,x,1\na,y,2\n"
    book = as_workbook({"Reviews": [["Peer review of posters"], [], *LONG]})

    assert read(text, skip_rows=2).n_entries == 2
    assert read(book, skip_rows=2).n_entries == 4


def test_other_sheets_are_listed_where_the_first_holds_no_reviews():
    data = as_workbook({"Read me": [["Peer review of posters"], ["by the class of 2026"]], "Reviews": LONG})

    with pytest.raises(AmbiguousReadingError, match="sheet 'Read me' has one column") as caught:
        read(data)
    assert [offered.reading.sheet for offered in caught.value.readings] == ["Reviews"]
    assert list(read(data, sheet="Reviews").orders()) == ORDERS


def test_ties_in_a_chain():
    headed = b"student,order of merit\nada,P3 > P1 = P7 > P2\nbob,P1 > P3 > P2 > P7\n"  # no line of PGF

    for text in (b"P3 > P1 = P7 > P2\n", headed):
        assert next(iter(read(text).orders()))[1] == [["P3"], ["P1", "P7"], ["P2"]]


def test_a_question_for_the_name_says_who_answered():
    text = "Timestamp,Rank them [A],Rank them [B],{}\n2026/03/01,1,2,ada\n2026/03/01,2,1,bob\n"

    for question in ("Your name", "What is your name?", "Group"):
        assert list(read(text.format(question).encode()).orders()) == ORDERS, question


@pytest.mark.parametrize(
    ("names", "system"),
    [
        ("ID,Start time,Completion time,Email,Name", "1,2026-03-01,2026-03-01,anonymous,"),
        ("id,submitdate,lastpage,startlanguage", "1,2026-03-01,2,en"),
        (
            "StartDate,RecordedDate,ResponseId,{},Rank [A],Rank [B]\nStart Date,Recorded Date,Response ID",
            "2026-03-01,2026-03-01,R_1",
        ),
    ],
)
def test_the_number_of_an_answer_is_not_who_answered_where_a_question_asks_for_the_name(names, system):
    head = names.format("Q1") + ",What is your name?,Rank [A],Rank [B]"
    rows = [f"{system},ada,1,2", f"{system.replace('1,', '2,', 1)},bob,2,1"]

    assert list(read("\n".join([head, *rows]).encode()).orders()) == ORDERS


def test_codes_of_limesurvey():
    head = '"id","submitdate","lastpage","startlanguage","Q1[1]","Q1[2]","Q1[3]"\n'
    rows = '"1","2026-03-01","2","en","A2","A1","A3"\n"2","2026-03-01","2","en","A1","A2",""\n'

    orders = [order for _, order in read((head + rows).encode()).orders()]
    assert orders == [[["A2"], ["A1"], ["A3"]], [["A1"], ["A2"]]]

"""Wide rank matrices."""

import pytest

from peerage import AmbiguousReadingError, read
from peerage.reading import reader, text


@pytest.mark.parametrize(
    ("text", "orders"),
    [
        (
            b"assessor,P1,P2,P3\nA,1,2,3\nB,2,0,1\nC,,NA,1\n",  # zero, as said, empty and NA are not ranked
            [("A", [["P1"], ["P2"], ["P3"]]), ("B", [["P3"], ["P1"]]), ("C", [["P3"]])],
        ),
        (b"rater,x,y\nA,1,1\nA,2,1\n", [("A", [["x", "y"]]), ("A", [["y"], ["x"]])]),
        (b"rater,x,y\nA,0,0\nB,2,1\n", [("B", [["y"], ["x"]])]),
    ],
    ids=["not ranked", "two rows of a grader, a tie", "a row of zeros"],
)
def test_ranks(text, orders):
    feedback = read(text, "matrix", direction="ranks", empty="0", duplicates="keep")

    assert list(feedback.orders()) == orders
    assert feedback.n_graders == len({grader for grader, _ in orders})


def test_rows_without_graders_are_numbered_when_asked_for():
    feedback = read(b"x,y,z\n1,2,3\n3,2,1\n", "matrix", direction="ranks")

    assert feedback.grader_labels.to_list() == ["1", "2"]
    assert feedback.notes == ("no grader column: each of the 2 rows counts as a grader of its own",)


def test_ids_in_a_column_are_not_graded_without_a_question():
    with pytest.raises(AmbiguousReadingError):
        read(b"reviewer,thing,how\nada,1523,5\n")


def test_a_file_with_several_questions_is_parsed_once(monkeypatch):
    parsed = []
    parse = text._parse_columns
    monkeypatch.setattr(text, "_parse_columns", lambda *args: parsed.append(args) or parse(*args))
    rows = "".join(f"s{n},{n % 4},{(n + 1) % 4},{(n + 2) % 4},{n}\n" for n in range(300))
    data = f"Name,P1,P2,P3,Hours\n{rows}".encode()

    for small in (reader.SMALL, 0):  # of a large file, the first rows are parsed apart
        monkeypatch.setattr(reader, "SMALL", small)
        with pytest.raises(AmbiguousReadingError) as caught:
            read(data)
        assert len(caught.value.readings) > 4
        assert [records for *_, records, _ in parsed if records == 300] == [300]
        parsed.clear()


@pytest.mark.parametrize("name", ["Comments", "Kommentar", "Remarques", "Observaciones"])
def test_columns_that_say_nothing_about_the_order_are_listed_and_not_asked_about(name):
    feedback = read(f"rater,P1 score,P2 score,{name}\nA,9,8,\nB,7,9,fine\n".encode())
    plain = f"rater,P1,P2,{name}\nA,9,8,\nB,7,9,fine\n".encode()

    assert f"Ignored: {name}." in feedback.sentences[-1]
    assert read(plain, direction="scores").reading.ignore == (name,)


def test_a_column_that_may_be_an_item_is_asked_about():
    with pytest.raises(AmbiguousReadingError, match="'Hours' may not be an item") as caught:
        read(b"rater,P1,P2,Hours\nA,9,8,2\nB,7,9,3\n", direction="scores")

    items = [list(offered.feedback.item_labels) for offered in caught.value.readings]
    assert items == [["P1", "P2"], ["Hours", "P1", "P2"]]


def test_zeros_below_a_scale_that_begins_at_1_are_taken_for_no_review_first():
    rows = "A,1,2,3,4,0\nB,4,0,1,3,2\nC,2,1,4,3,0\n"
    with pytest.raises(AmbiguousReadingError) as caught:
        read(f"rater,P1,P2,P3,P4,P5\n{rows}".encode())

    assert caught.value.readings[0].reading.empty == ("0",)
    assert caught.value.readings[-1].reading.empty == ("none",)

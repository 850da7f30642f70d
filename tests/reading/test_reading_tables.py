"""Excel, Parquet, and tables in memory."""

import io
import struct
import zipfile

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xlsxwriter
from old_excel import old_workbook
from tests.reading.battery.case import as_workbook

from peerage import DataError, Feedback, read

PLAIN = Feedback.from_columns(["01", "7"], ["1523", "1524"], score=[7.5, 8])
COLUMNS = {"grader": ["01", "7"], "item": [1523, 1524], "score": [7.5, 8]}
FRAME = pl.DataFrame(COLUMNS)


REVIEWS = [["Reviewer", "Paper ID", "Score"], ["01", 1523, 7.5], [7, 1524, 8]]


def zipped(name: str, content: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return stream.getvalue()


def test_excel_keeps_ids_as_people_see_them_whatever_the_file_is_called(tmp_path):
    path = tmp_path / "reviews.csv"
    path.write_bytes(as_workbook({"Reviews": REVIEWS}))

    assert read(path).equals(PLAIN)


def test_excel_sheet_is_chosen_by_name_or_number():
    data = as_workbook({"About": [["hello"]], "Reviews": REVIEWS})

    assert read(data, sheet="Reviews").equals(PLAIN)
    assert read(data, sheet=2).equals(PLAIN)
    with pytest.raises(DataError, match="sheet 'Review' not found; did you mean 'Reviews'"):
        read(data, sheet="Review")
    with pytest.raises(DataError, match="sheet 'Nothing' is empty"):
        read(as_workbook({"Nothing": []}))


def test_excel_sheets_of_the_same_columns_are_read_together():
    data = as_workbook({"One": REVIEWS[:2], "Notes": [["hello"]], "Two": [REVIEWS[0], REVIEWS[2]]})
    beside = as_workbook({"Reviews": REVIEWS, "Notes": [["hello"]]})

    assert read(data, sheet="all").equals(PLAIN)
    assert read(beside).notes == ("sheet 'Reviews' read; the workbook also has 'Notes'",)


@pytest.mark.parametrize(("top", "left"), [(0, 0), (3, 0), (2, 2)])
def test_excel_lines_are_the_rows_of_the_sheet(top, left):
    rows = [[None] * left + row for row in [*REVIEWS, [8, 1525, "seven"]]]

    with pytest.raises(DataError) as refusal:
        read(as_workbook({"Reviews": [[]] * top + rows}))

    assert refusal.value.problems[0].line == top + 4
    assert refusal.value.problems[0].value == "seven"


def test_excel_bomb_is_refused_before_it_is_unpacked():
    bomb = bytearray(zipped("xl/worksheets/sheet1.xml", bytes(1 << 20)))
    where = bomb.rfind((1 << 20).to_bytes(4, "little"))
    bomb[where : where + 4] = (3 << 30).to_bytes(4, "little")

    with pytest.raises(DataError, match="unpacks to 3,072 MiB"):
        read(bytes(bomb))


def test_archives_that_are_longer_than_they_say_or_no_workbooks_are_refused():
    liar = zipped("xl/workbook.xml", bytes(1 << 20))
    liar = liar.replace((1 << 20).to_bytes(4, "little"), (100).to_bytes(4, "little"))

    with pytest.raises(DataError, match="the workbook is damaged or not one"):
        read(liar)
    with pytest.raises(DataError, match=r"the archive is not an \.xlsx workbook"):
        read(zipped("essay.txt", b"hello"))


def test_excel_cell_in_the_far_corner_is_refused():
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream) as book:
        sheet = book.add_worksheet()
        sheet.write("A1", "grader")
        sheet.write("XFD1048576", "far")

    with pytest.raises(DataError, match="spans 1048576 rows x 16384 columns"):
        read(stream.getvalue())


def test_parquet_and_tables_in_memory(tmp_path):
    FRAME.write_parquet(tmp_path / "feedback.parquet")
    tables = [FRAME, FRAME.lazy(), COLUMNS, pa.table(COLUMNS), pd.DataFrame(COLUMNS)]

    assert [read(table).equals(PLAIN) for table in (tmp_path / "feedback.parquet", *tables)] == [True] * 6


def test_ids_that_became_floats_lose_the_point():
    table = pd.DataFrame({"grader": [1.0, None, 2.0], "item": ["x", None, "x"], "score": [1.0, None, 2.0]})

    assert read(table).grader_labels.to_list() == ["1", "2"]


def test_columns_of_the_wrong_type():
    columns = {"grader": ["a", "b"], "item": ["x", "y"], "score": [1, 2]}

    with pytest.raises(DataError, match="column 'item' holds List"):
        read(columns | {"item": [[1], [2]]})
    with pytest.raises(DataError, match="column 'score' holds Boolean, and a score must be a number"):
        read(columns | {"score": [True, False]})


def test_old_excel_is_read_and_damaged_or_endless_sheets_are_refused():
    data = old_workbook(REVIEWS)
    cell = struct.pack("<HHHHH", 0x0203, 14, 1, 2, 0)

    assert [read(data).equals(PLAIN), read(data, sheet="Reviews").equals(PLAIN)] == [True, True]
    with pytest.raises(DataError, match=r"a cell stands in column 60001, and an \.xls sheet has 256"):
        read(data.replace(cell, struct.pack("<HHHHH", 0x0203, 14, 60_000, 60_000, 0)))
    for place in (40, 44, 64, 72):  # more sectors than there are
        damaged = bytearray(data)
        damaged[place : place + 4] = (1 << 30).to_bytes(4, "little")
        with pytest.raises(DataError, match="the workbook is damaged or not one"):
            read(bytes(damaged))

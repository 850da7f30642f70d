"""Text that a spreadsheet would run is text."""

import polars as pl

from peerage.writing.spreadsheet import neutralise

SIGNS = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]


def test_signs_of_formulas_are_neutralised_in_cells_and_headers():
    for sign in SIGNS:
        found = neutralise(pl.DataFrame({"item": [f"{sign}1+1", "plain"], f"{sign}title": [-1.5, 2.5]}))

        assert found.columns == ["item", f"'{sign}title"]
        assert found["item"].to_list() == [f"'{sign}1+1", "plain"]
        assert found[f"'{sign}title"].to_list() == [-1.5, 2.5]


def test_other_text_stays_as_it_is():
    frame = pl.DataFrame({"a=b": ["x=1", "1-2", "", None, "'=x"]})

    assert neutralise(frame).equals(frame)

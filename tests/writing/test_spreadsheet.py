"""Text that a spreadsheet would run is text."""

from __future__ import annotations

import polars as pl
import pytest

from peerage.writing import neutralise

SIGNS = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]


@pytest.mark.parametrize("sign", SIGNS)
def test_signs_of_formulas_are_neutralised_in_cells_and_headers(sign):
    frame = pl.DataFrame({"item": [f"{sign}1+1", "plain"], f"{sign}title": [1.5, 2.5]})

    found = neutralise(frame)

    assert found.columns == ["item", f"'{sign}title"]
    assert found["item"].to_list() == [f"'{sign}1+1", "plain"]


def test_other_text_stays_as_it_is():
    frame = pl.DataFrame({"a=b": ["x=1", "1-2", "", None, "'=x"]})

    assert neutralise(frame).equals(frame)

"""What is committed under experiments/ hangs together: tables, notes, figures, pages."""

import json
from pathlib import Path

import polars as pl
import pytest
from experiments.paper.runner import EXPERIMENTS as PAPER
from experiments.paper.runner import KEYS, read_results

from experiments import kinds_of_classes, real_classes, tables

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
TABLES = sorted(EXPERIMENTS.glob("kdd2014/*.csv")) + sorted(EXPERIMENTS.glob("real/**/*.csv"))


def test_every_experiment_has_its_table_with_keys_seed_and_time():
    assert {path.stem for path in EXPERIMENTS.glob("kdd2014/*.csv")} == set(PAPER)
    notes = {path: json.loads(path.with_suffix(".json").read_text()) for path in TABLES}

    assert [path for path in TABLES if not set(KEYS) <= set(read_results(path).columns)] == []
    assert [path for path in TABLES if notes[path]["experiment"] != path.stem] == []
    assert [path for path in TABLES if not notes[path]["cpu_seconds"] > 0] == []


def test_pages_show_the_tables_of_their_results():
    for page in tables.PAGES:
        text = again = page.read_text()
        for name, table in tables.tables().items():
            again = tables.put(again, name, table)
        assert again == text


@pytest.mark.parametrize(("mark", "study"), [("kinds", kinds_of_classes), ("real", real_classes)])
def test_the_tables_of_classes_are_those_of_their_files(mark, study):
    page = (EXPERIMENTS.parent / "docs" / "reference" / "coverage.md").read_text(encoding="utf-8")

    shown = page.split(f"<!-- {mark} -->\n")[1].split(f"\n<!-- /{mark} -->")[0]
    assert shown == study.table(pl.read_csv(study.RESULTS))


def test_a_mark_without_its_end_is_refused():
    assert tables.put("a <!-- t -->\nold\n<!-- /t --> b", "t", "new") == "a <!-- t -->\nnew\n<!-- /t --> b"
    with pytest.raises(ValueError, match="no <!-- /t -->"):
        tables.put("<!-- t --> all of this would be lost", "t", "new")

import polars as pl
import pytest
from tests.cli.commands import run

ROSTER = "student,group,email\n" + "".join(f"s{k},g{k // 2},s{k}@example.org\n" for k in range(10))


@pytest.fixture
def roster(put):
    return put("roster.csv", ROSTER)


def test_a_roster_on_standard_input_is_allocated_to_standard_output_as_csv():
    result = run("allocate", "-", "--per-grader", 3, input=ROSTER)
    teams = run("allocate", "-", "-k", 2, "--submissions", "group", input=ROSTER)

    table = pl.read_csv(result.stdout.encode())
    assert result.exit_code == 0
    assert table.columns == ["grader", "item", "slot", "email"]
    assert len(table) == 30
    assert "30 reviews by 10 graders; items by reviews: 10 with 3; all connected." in result.stderr
    assert set(pl.read_csv(teams.stdout.encode())["item"]) == {f"g{k}" for k in range(5)}


def test_files_are_written_where_asked(roster, tmp_path):
    result = run("allocate", roster, "-k", 3, "--out", tmp_path / "a.csv", "--merge", tmp_path / "mail.csv")

    assert (result.exit_code, result.stdout) == (0, "")
    assert len(pl.read_csv(tmp_path / "a.csv")) == 30
    assert pl.read_csv(tmp_path / "mail.csv").columns == ["grader", "email", "item_1", "item_2", "item_3"]


def test_a_preview_writes_no_allocation(roster, tmp_path):
    result = run("allocate", roster, "-k", 3, "--preview", "--runs", 2, "--out", tmp_path / "a.csv")

    assert result.exit_code == 0
    assert "expected tau error" in result.stdout
    assert not (tmp_path / "a.csv").exists()


def test_anchors_are_named_for_staff(roster):
    result = run("allocate", roster, "-k", 3, "--design", "calibrated", "--anchors", "s1;s4")

    assert "Anchors for staff to grade: s1, s4." in result.stderr


def test_an_impossible_roster_is_one_clear_message(roster):
    result = run("allocate", roster, "-k", 9)

    assert (result.exit_code, result.stdout) == (2, "")
    assert "'s0' has to review 9 of 10 items but may see only 8" in result.stderr
    assert "Traceback" not in result.output


def test_repair_prints_the_changes_and_writes_the_new_allocation(roster, put, tmp_path):
    old, new, away = tmp_path / "old.csv", tmp_path / "new.csv", put("away.txt", "s3\n\ns7\n")
    run("allocate", roster, "-k", 3, "--out", old)

    result = run("repair", old, roster, "-k", 3, "--no-show", away, "--out", new)

    assert result.exit_code == 0
    assert pl.read_csv(result.stdout.encode())["change"].value_counts(sort=True)["count"].to_list() == [6, 6]
    assert "6 reviews removed, 6 added; every item has at least 3" in result.stderr
    assert not set(pl.read_csv(new)["grader"]) & {"s3", "s7"}

"""The benchmark of the models, run at its smallest so that it cannot rot; no time is tested."""

import csv
import re
import sys
from dataclasses import asdict

import pytest
from benchmarks import end_to_end, intervals, model_cell, model_report, models, peers
from benchmarks.model_data import Size, write_class

from peerage import Feedback, fit, read
from peerage.metrics.accuracy import tau_error

pytestmark = pytest.mark.full
SMALL, LARGER = Size(8, 12, 4), Size(9, 20, 4)
A_DAY = 24.0 * 60 * 60  # seconds: a limit that even the busiest machine keeps


@pytest.fixture
def small_class(tmp_path):
    path = tmp_path / "class.npz"
    write_class(SMALL, path)
    return path


def test_a_run_writes_results_page_and_picture(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(models, "PEERS", ("choix:ilsr_pairwise",))
    monkeypatch.setattr(models, "PASSES", ("numpy:exp", "pass:BT"))
    monkeypatch.setattr(models, "GROWTH", (SMALL, LARGER))
    monkeypatch.setattr(models, "PEER_LIMIT", A_DAY)
    results, page = tmp_path / "models.csv", tmp_path / "reference" / "performance.md"
    asked = ["--sizes", SMALL, LARGER, "--methods", "BT", "PL+G", "--limit", A_DAY]

    models.main([*map(str, asked), "--results", str(results), "--page", str(page)])

    with results.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    kinds = ["numpy", "pass", "choix", "peerage", "peerage"]
    assert [row["contender"].partition(":")[0] for row in rows] == kinds * 2
    assert {row["status"] for row in rows} == {"ok"}
    text = page.read_text(encoding="utf-8")
    assert "| | 8 × 12, 4 | 9 × 20, 4 |" in text
    assert re.search(r"\| \*\*PL\+G\*\* \| .+ \| .+ \| [\d.]+ \([\d.]+ to [\d.]+, 9 rounds\) \|", text)
    assert (tmp_path / "images" / "performance.png").stat().st_size > 1000
    assert "peerage:PL+G" in capsys.readouterr().out


@pytest.mark.parametrize(
    "contender", [c for c in (*models.PASSES, *models.PEERS) if not c.startswith("crowd")]
)
def test_every_contender_runs(small_class, contender):
    assert model_cell.run(contender, small_class)["status"] == "ok"


def test_a_missing_peer_is_said_to_be_missing(small_class, monkeypatch):
    monkeypatch.setitem(sys.modules, "crowdkit", None)

    assert model_cell.run("crowd-kit:BradleyTerry", small_class) == {"status": "crowdkit is not installed"}


def test_the_limit_ends_a_method_which_has_no_growth_then(small_class, monkeypatch):
    monkeypatch.setattr(models, "GROWTH", (SMALL, LARGER))

    (row,) = models.growths(["BT"], 0.0)

    assert models.measured("peerage:BT", small_class, 0.0) == {"status": "over 0 s"}
    assert (row.status, row.times) == ("over 0 s", None)
    assert "| **BT** |  |  | over 0 s |" in model_report.growth_table([asdict(row)])


@pytest.mark.parametrize("name", peers.CONTENDERS)
def test_other_libraries_see_what_we_see(name):
    package, scores_of = peers.CONTENDERS[name]
    pytest.importorskip(package)
    feedback = read("examples/posters/feedback.csv")

    theirs, ours = scores_of(feedback), fit(feedback, "bt").scores_

    assert tau_error(ours, theirs) < 12


def test_all_pairs_of_a_list():
    feedback = Feedback.from_orders([("ada", ["w", {"x", "y"}])])

    better, worse, tied = peers.all_pairs(feedback)

    pairs = list(zip(better.tolist(), worse.tolist(), tied.tolist(), strict=True))
    assert pairs == [(0, 1, False), (0, 2, False), (1, 2, True)]


def test_the_page_has_what_was_measured_from_file_to_files(tmp_path):
    row = {"wall": 5.4, "peak_gib": 0.5, "report_mib": 1.2, "stages": '{"reading": 0.2, "fit": 1.0}'}
    sizes = ((20_000, 4.0), (200_000, 44.0))
    rows = [{"kind": "orders", "students": n, "seconds": seconds, **row} for n, seconds in sizes]
    end_to_end.save(rows, tmp_path / "end_to_end.csv")

    text = end_to_end.section(tmp_path)

    assert "| 20,000 students, orders | 4.0 s | 5 s | 0.50 GiB | 1.2 MiB | reading 0.2, fit 1.0 |" in text
    assert "200,000 students take 11.0 times as long as 20,000 (orders)." in text
    assert end_to_end.stage_of("comparing with MALBC") == "other methods"


def test_the_page_compares_with_what_a_user_would_pick_instead(tmp_path):
    known = {"students": 2_000, "limit": 60.0, "processor": 1.0}
    rows = [
        {**known, "what": intervals.PEERAGE, "wall": 0.5},
        {**known, "what": intervals.CHOIX, "wall": 20.0},
        {**known, "what": intervals.CROWDKIT, "wall": None},
    ]
    end_to_end.save(rows, tmp_path / "intervals.csv")

    text = end_to_end.section(tmp_path)

    assert f"| 2,000 | {intervals.CHOIX} | 20.00 s | 40.0 |" in text
    assert f"| 2,000 | {intervals.CROWDKIT} | over 60 s | over 120 |" in text

"""Packed folders are read like the files they were made from, or refused with one clear word."""

import json
import shutil
import signal
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from sameness import assert_same, pack_small

import peerage
from peerage import DataError
from peerage.reading.packed import open_packed
from peerage.roster.input import read_input

MADE = peerage.simulate(items=30, graders=40, per_grader=5, seed=4).rows


def split(folder, frame=MADE, cuts=(50, 51, 140), ending="csv"):
    edges = [0, *cuts, len(frame)]
    folder.mkdir(exist_ok=True)
    for k in range(len(edges) - 1):
        part, path = frame[edges[k] : edges[k + 1]], folder / f"part{k}.{ending}"
        {"csv": part.write_csv, "parquet": part.write_parquet, "xlsx": part.write_excel}[ending](path)
    return str(folder / f"*.{ending}")


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder with `files` and what they were `packed` into."""
    folder = tmp_path_factory.mktemp("kept")
    pack_small(split(folder / "files"), folder / "packed", reviews_per_part=50)
    return folder


@pytest.fixture
def packed(kept, tmp_path):
    """A copy of its own, that may be damaged; a folder can be moved."""
    shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    return open_packed(tmp_path / "packed")


# -- the same as the files --------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx"])
def test_every_kind_of_table_is_packed_as_it_is_read(tmp_path, ending):
    named = {"grader": "who", "item": "what", "score": "how"}
    files = split(tmp_path / "files", MADE.rename(named), ending=ending)

    assert len(assert_same(files, tmp_path / "packed", reviews_per_part=50, **named).parts) > 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pairs.csv", "worker,left,right,label\nw1,x,y,x\nw1,y,z,tie\nw2,z,x,x\n"),
        ("matrix.csv", "assessor,P1,P2,P3,P4\nA01,1,2,4,3\nA02,2,0,3,1\nA03,1,3,0,2\n"),
        ("week.pgf", "week1 ada x (8.0) > y (7.0) ? z (7.0)\nweek2 bob z (9.0) > x (4.5)\n"),
        (
            "votes.toi",
            "# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: x\n# ALTERNATIVE NAME 2: y\n"
            "# ALTERNATIVE NAME 3: z\n3: 1,{2}\n1: 2\n",
        ),
        ("quoted.csv", 'grader,item,score\nada,"x\ny",3\n\nbob,"x\ny",4\nbob,z,n/a\nbob,z,5\nbob,z,6\n'),
        ("empty.csv", "grader,item,score\nada,x,3\n,x,4\nbob,,4\nbob,y,abc\n"),
        ("shuffled.csv", MADE[:60].sample(fraction=1, shuffle=True, seed=1).write_csv()),
    ],
)
@pytest.mark.parametrize("how", [{}, {"missing": "drop", "duplicates": "mean"}])
def test_one_file_of_any_layout_is_packed_or_refused_as_it_is_read(tmp_path, name, text, how):
    (tmp_path / name).write_text(text)

    assert_same(str(tmp_path / name), tmp_path / "packed", **how)


def test_several_files_and_standard_columns_by_the_library(tmp_path):
    split(tmp_path, MADE.rename({"item": "what"}), cuts=(100,))
    paths = [tmp_path / "part0.csv", tmp_path / "part1.csv"]

    found = peerage.pack(paths, tmp_path / "packed", item="what")

    assert found.feedback().equals(peerage.read(MADE))
    assert [one["file"] for one in found.manifest.files] == [str(path) for path in paths]


def test_feedback_of_100_lists_is_seen_in_ranges_as_it_is_at_once(tmp_path, monkeypatch):
    """Of very many lists a sample decides which way numbers run: the same one, however they are cut."""
    monkeypatch.setattr("peerage.reading.direction.MOST_LISTS", 7)
    rng = np.random.default_rng(0)
    who = [(f"g{g:03d}", f"w{g % 3}", f"i{k}") for g in range(100) for k in range(4)]
    rows = [(*one, float(rng.integers(1, 5))) for one in who]
    frame = pl.DataFrame(rows, schema=["grader", "task", "item", "rank"], orient="row")
    ranked = frame.with_columns(rank=pl.col("rank").rank("ordinal").over("grader"))
    for which, changed in enumerate([frame, ranked]):
        files = split(tmp_path / f"files{which}", changed.sample(fraction=1, shuffle=True, seed=1))
        assert_same(files, tmp_path / f"packed{which}", reviews_per_part=90)


@pytest.mark.parametrize("method", ["pl+g", "bt", "ncs"])
def test_a_fit_of_the_folder_has_the_same_bytes(kept, method):
    files, folder = (peerage.fit(str(kept / name), method) for name in ("files/*.csv", "packed"))

    assert files.scores_.tobytes() == folder.scores_.tobytes()


def test_who_made_what_is_packed_with_the_reviews(tmp_path):
    text = "grader,item,score,owner,group\nada,x,3,bob,red\nada,y,4,ada,red\nbob,x,5,bob,\nbob,y,2,ada,\n"
    header, *rows = text.splitlines()
    for which, row in enumerate(rows):
        (tmp_path / f"part{which}.csv").write_text(f"{header}\n{row}\n")
    (tmp_path / "whole.csv").write_text(text)
    read = [read_input(str(tmp_path / "whole.csv")).roster]
    for name in ("part*.csv", "whole.csv"):
        peerage.pack(str(tmp_path / name), tmp_path / f"packed-{name[:4]}")
        read += [read_input(str(tmp_path / one)).roster for one in (name, f"packed-{name[:4]}")]

    for table in ("makers", "groups", "item_groups"):
        assert len({tuple(getattr(roster, table).rows()) for roster in read}) == 1
    assert len(read[0].makers) == 2


def test_packing_twice_gives_the_same_bytes(tmp_path):
    files = split(tmp_path / "files")
    for name in ("one", "two"):
        pack_small(files, tmp_path / name)

    one, two = (
        {path.name: path.read_bytes() for path in (tmp_path / name).rglob("*.*")} for name in ("one", "two")
    )
    assert one == two


# -- what is in it ----------------------------------------------------------------------------------


def test_parts_and_manifest_say_what_is_in_them_and_where_it_came_from(packed, tmp_path):
    firsts = np.cumsum([0, *(part.graders for part in packed.parts[:-1])])
    told = json.loads((packed.folder / "manifest.json").read_text())

    assert [part.first_grader for part in packed.parts] == firsts.tolist()
    assert sum(part.reviews for part in packed.parts) == packed.reviews == 200
    assert (packed.items, packed.graders, packed.tasks, packed.lists) == (30, 40, 1, 40)
    assert told["reading"]["duplicates"] == "error"
    assert [one["file"].rpartition("/")[2] for one in told["files"]] == [f"part{k}.csv" for k in range(4)]
    assert packed.feedback().equals(peerage.read(MADE))
    assert told["source"] == read_input(str(tmp_path / "files" / "*.csv")).source


def test_a_part_without_labels_has_the_same_arrays(packed):
    named, nameless = packed.read(1), packed.read(1, labels=False)

    assert nameless.items.tobytes() == named.items.tobytes()
    assert (nameless.n_items, nameless.n_graders) == (named.n_items, named.n_graders)
    assert nameless.item_labels.null_count() == 30


# -- what cannot be used ----------------------------------------------------------------------------


def test_a_damaged_part_is_refused_when_it_is_read(packed):
    path = packed.folder / packed.parts[1].file
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    again = open_packed(packed.folder)

    again.read(0)
    with pytest.raises(DataError, match=r"part-00001.*another SHA-256.*pack the files again"):
        again.read(1)
    with pytest.raises(DataError, match="another SHA-256"):
        peerage.read(packed.folder)


def test_a_part_cut_short_or_gone_is_refused_at_once(packed):
    path = packed.folder / packed.parts[1].file
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DataError, match=r"part-00001.*not as it was packed"):
        open_packed(packed.folder)

    path.unlink()
    with pytest.raises(DataError, match=r"part-00001.*is missing"):
        open_packed(packed.folder)
    with pytest.raises(DataError, match=r"part-00001.*is missing"):
        packed.read(1)


def test_a_manifest_that_is_not_as_it_was_is_refused(packed):
    path = packed.folder / "manifest.json"
    told = path.read_text()
    for changed, why in [
        (told.replace('"reviews": 200', '"reviews": 201'), "the manifest is damaged"),
        (told[:-20], "the manifest is damaged"),
        (told.replace('"version": 1', '"version": 2'), "in version 2 .* this Peerage reads 1"),
        ('{"files": []}', "not the manifest of packed feedback"),
    ]:
        path.write_text(changed)
        with pytest.raises(DataError, match=why):
            open_packed(packed.folder)


def test_folders_that_are_not_packed_say_what_to_give(tmp_path):
    split(tmp_path / "files")

    with pytest.raises(DataError, match=r"not a packed one.*a pattern such as .*\*\.csv"):
        peerage.read(tmp_path / "files")
    with pytest.raises(DataError, match="no such folder"):
        open_packed(tmp_path / "nowhere")


def test_an_interrupted_pack_is_known_as_such(packed, tmp_path):
    """Killed while it wrote, or while it put files in place: there is no manifest yet."""
    (packed.folder / "manifest.json").unlink()
    (tmp_path / "drafts" / ".peerage-abc").mkdir(parents=True)

    for folder in (packed.folder, tmp_path / "drafts"):
        with pytest.raises(DataError, match="packing was interrupted"):
            open_packed(folder)
        with pytest.raises(DataError, match=r"packing was interrupted here; name a new folder"):
            peerage.pack(str(tmp_path / "files" / "*.csv"), folder)


@pytest.mark.full
def test_a_pack_that_is_killed_leaves_nothing_that_is_read(tmp_path):
    files = split(tmp_path / "files")
    program = (
        "import os, signal, sys\n"
        "from peerage.packing import pack_with\n"
        "from peerage.reading.reading import Reading\n"
        "stop = lambda step: os.kill(os.getpid(), signal.SIGKILL) if step.startswith('writing') else None\n"
        "pack_with(sys.argv[1], sys.argv[2], Reading(), on_step=stop)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, files, str(tmp_path / "packed")], check=False)

    assert done.returncode == -signal.SIGKILL
    with pytest.raises(DataError, match="packing was interrupted and nothing here can be used"):
        peerage.read(tmp_path / "packed")


def test_nothing_is_written_over(packed, tmp_path):
    files = str(tmp_path / "files" / "*.csv")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("mine")

    with pytest.raises(DataError, match="there is a packed folder already"):
        peerage.pack(files, packed.folder)
    with pytest.raises(DataError, match="the folder is not empty"):
        peerage.pack(files, tmp_path / "other")
    with pytest.raises(DataError, match="this is a file"):
        peerage.pack(files, tmp_path / "other" / "thesis.txt")
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["thesis.txt"]


def test_what_is_packed_or_missing_or_of_criteria_is_not_packed(kept, tmp_path):
    files, out = str(kept / "files" / "*.csv"), tmp_path / "out"

    with pytest.raises(DataError, match="this folder is packed already"):
        peerage.pack(kept / "packed", out)
    with pytest.raises(FileNotFoundError, match=r"b\.csv"):
        peerage.pack([kept / "files" / "part0.csv", kept / "b.csv"], out)
    with pytest.raises(DataError, match="criteria cannot be packed"):
        peerage.pack(files, out, criteria={"score": 1})
    with pytest.raises(DataError, match="duplicates='none'"):
        peerage.pack(files, out, duplicates="none")
    with pytest.raises(DataError, match="no file has such a name"):
        peerage.pack(str(tmp_path / "*.parquet"), out)
    assert not out.exists()


def test_options_come_with_packing_and_not_after(kept):
    with pytest.raises(DataError, match=r"missing says how to read.*when they were packed"):
        peerage.read(kept / "packed", missing="drop")
    with pytest.raises(DataError, match="item says how to read"):
        peerage.read(kept / "packed", item="paper")


def test_what_is_refused_in_an_early_part_is_told_whatever_comes_after(tmp_path):
    rows = [("a", "x", 1, 1), ("a", "y", 2, 3)]  # one list cannot count once and three times
    rows += [(grader, item, 1 + place, 1) for grader in "bcdef" for place, item in enumerate("xyz")]
    frame = pl.DataFrame(rows, schema=["grader", "item", "rank", "weight"], orient="row")

    assert_same(split(tmp_path / "files", frame, cuts=(2, 9)), tmp_path / "packed", reviews_per_part=2)

"""Kinds of damage: each gives one message with the right line and says what is wrong."""

# ruff: noqa: E501 - one row for each kind of damage reads best

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from peerage import DataError, inspect, read
from peerage.errors import Problem

HEAD = "grader,item,score\nada,x,1\n"
PREFLIB = "# DATA TYPE: soi\n# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: x\n# ALTERNATIVE NAME 2: y\n"


@dataclass(frozen=True)
class Damage:
    name: str
    data: str | bytes
    line: int | None
    says: str
    options: dict[str, Any] = field(default_factory=dict)


DAMAGES = [
    # the file as a whole
    Damage("empty file", "", None, "the file is empty"),
    Damage("only blank lines", "\n \n\r\n", None, "the file is empty"),
    Damage("only a byte-order mark", b"\xef\xbb\xbf", None, "the file is empty"),
    Damage("header only", "grader,item,score\n", None, "the table has a header but no rows"),
    Damage("rows of delimiters only", "grader,item,score\n,,\n", None, "the table has a header but no rows"),
    Damage("binary", bytes(range(128, 256)) + bytes(range(1, 9)) * 50, None, "the file is binary, not text"),
    Damage("PDF", b"%PDF-1.7\n...", None, "the file is a PDF document"),
    Damage("compressed", b"\x1f\x8b\x08\x00...", None, "the file is compressed with gzip"),
    Damage("web page", "<!DOCTYPE html><html><table>", None, "the file is a web page"),
    Damage("broken workbook", b"PK\x03\x04 and nothing more", None, "the workbook is damaged or not one"),
    Damage("broken old workbook", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"0" * 600, None, "the workbook is damaged"),
    Damage("broken Parquet", b"PAR1 and nothing more", None, "the Parquet file is damaged or not one"),
    Damage("text called Excel", HEAD, None, "the file is not an Excel workbook", {"format": "excel"}),
    Damage("Excel called CSV", b"PK\x03\x04", None, "the file is an Excel workbook, not csv", {"format": "csv"}),
    # characters
    Damage("NUL byte", HEAD + "ada,y\0,2\n", 3, "a NUL byte"),
    Damage("not the given encoding", HEAD.encode() + b"\xe9ve,x,1\n", 3, "is not UTF-8", {"encoding": "utf-8"}),
    Damage("cut UTF-16", HEAD.encode("utf-16")[:-1], 2, "is not UTF-16-LE text"),
    Damage("unknown choice", HEAD, None, "duplicates='all' is not known; use one of error, first, last, mean", {"duplicates": "all"}),
    Damage("unknown direction", HEAD, None, "direction='up' is not known; use one of auto", {"direction": "up"}),
    Damage("unknown format", HEAD, None, "format 'word' is not known", {"format": "word"}),
    Damage("unknown encoding", HEAD, None, "unknown encoding 'klingon'", {"encoding": "klingon"}),
    # structure
    Damage("too few fields", HEAD + "ada,y\n", 3, "'ada,y' has 2 fields, the header has 3"),
    Damage("too many fields", HEAD + "Doe, Jo,y,2\n", 3, "has 4 fields, the header has 3; put quotes around"),
    Damage("another delimiter", HEAD + "ada;y;2\n", 3, "it is divided by a semicolon, the header by a comma"),
    Damage("quote never closed", HEAD + 'ada,"y,2\nbob,x,1\n', 3, "opens here and is never closed"),
    Damage("quote closed too late", HEAD + 'ada,"y,2\nbob,"x",1\n', 3, "text follows its closing quote (in line 4)"),
    Damage("quote inside a field", HEAD + 'ada,5" nail,2\n', 3, "stands in the middle of a field"),
    Damage("text after a quote", HEAD + 'ada,"y"z,2\n', 3, "text follows its closing quote"),
    Damage("delimiter of two characters", HEAD, None, "delimiter '::' cannot be used", {"delimiter": "::"}),
    Damage("absurdly many columns", "x," * 30_000 + "\n1\n", 1, "30001 columns; at most 20000 are read"),
    # columns
    Damage("no header", "ada,x,1\nbob,x,2\n", 1, "the first line looks like data"),
    Damage("misspelt column", "reviwer,item,score\nada,x,1\n", 1, "'reviwer' looks like a misspelt 'reviewer'"),
    Damage("misspelt option", HEAD, 1, "column 'graders' not found; did you mean 'grader'", {"grader": "graders"}),
    Damage("column twice", "grader,item,score,score\nada,x,1,2\n", 1, "'score' appears more than once"),
    Damage("misspelt item", "reviewer,papr,score\n7,8,9\n", 1, "no column for the item found; 'papr' looks like a misspelt 'paper'"),
    Damage("misspelt score", "reviewer,paper,scroe\n7,8,9\n", 1, "no column for the score found; 'scroe' looks like a misspelt 'score'"),
    Damage("two candidates", "reviewer,student,paper,score\n7,8,9,10\n", 1, "'reviewer' and 'student' could each be the grader; choose"),
    Damage("two scores", "grader,item,grade,mark\n7,8,9,10\n", 1, "'grade' and 'mark' could each be the score"),
    Damage("nothing to order by", "grader,item,remark\nada,x,ok\n", 1, "neither a rank nor a score"),
    Damage("score left out", HEAD, 1, "neither a rank nor a score column found", {"format": "long", "score": ""}),
    Damage("grader left out", HEAD, None, "grader= is empty, but there must be a column for the grader", {"grader": ""}),
    Damage("no such option", HEAD, None, "there is no column option 'graders'; did you mean grader=?", {"graders": "x"}),
    Damage("option of another layout", HEAD, None, "left= does not go with this layout", {"left": "x"}),
    Damage("shown in no order", "grader,item,rank,when\na,x,1,0\na,y,2,1\n", 2, "does not say when the item was shown: 1 is first", {"shown": "when"}),
    Damage("two roles", "grader,item,rank\nada,x,1\n", 1, "column 'rank' is given as item and as rank; a column can have one role only", {"item": "rank", "rank": "rank"}),
    Damage("two roles in long", "grader,item,rank\nada,x,1\n", 1, "column 'rank' is given as item and as rank; a column can have one role only", {"item": "rank", "rank": "rank", "format": "long"}),
    # cells
    Damage("empty grader", HEAD + ",y,2\n", 3, "column 'grader': the grader is empty"),
    Damage("empty item", HEAD + "ada, ,2\n", 3, "column 'item': the item is empty"),
    Damage("empty score", HEAD + "ada,y,\n", 3, "column 'score': the score is empty"),
    Damage("word for a score", HEAD + "ada,y,good\n", 3, "'good' is not a number, and a score must be one"),
    Damage("decimal comma", HEAD + 'ada,y,"8,5"\nada,z,7.5\n', 3, "has a decimal comma, and others such as 7.5"),
    Damage("infinite score", HEAD + "ada,y,inf\n", 3, "'inf' is not a number"),
    Damage("rank below one", "grader,item,rank\nada,x,1\nada,y,0\n", 1, "1 number is 0, which may stand for an item that was not reviewed"),
    Damage("weight of nothing", "grader,item,rank,weight\nada,x,1,0\n", 2, "'0' is not a weight"),
    Damage("weight beyond reason", "grader,item,rank,weight\nada,x,1,1e12\n", 2, "'1e+12' is not a weight: weights are greater than 0 and at most 1,000,000"),
    Damage("label that is a text", f"grader,item,rank\nada,{'x' * 501},1\n", 2, "is longer than 500 characters, and a label is not; give it a short name"),
    Damage("column name that is a text", f"student,{'x' * 60_000},y\nada,1,2\n", 2, "is longer than 500 characters"),
    Damage("PrefLib count beyond reason", PREFLIB + "1000001: 1,2\n", 5, "is not a weight: weights are greater than 0 and at most"),
    Damage("weights that differ", "grader,item,rank,weight\na,x,1,1\na,y,2,2\n", 3, "differs from 1 in the same list"),
    Damage("item twice in two spellings", HEAD + "Ada,x,2\nada,y,6\n", 3, "'x' is reviewed by grader 'ada' already (line 2)", {"ids": "fold"}),
    Damage("item twice in a list", HEAD + "ada,x,2\n", 3, "'x' is reviewed by grader 'ada' already (line 2)"),
    Damage("after a quoted line break", 'grader,item,score\n"a\nb",x,1\nada,y,?\n', 4, "'?' is not a number"),
    Damage("after blank lines", "\n\ngrader,item,score\n\nada,y,?\n", 5, "'?' is not a number"),
    Damage("with Windows line ends", HEAD.replace("\n", "\r\n") + "ada,y,?\r\n", 3, "'?' is not a number"),
    Damage("with old Mac line ends", HEAD.replace("\n", "\r") + "ada,y,?\r", 3, "'?' is not a number"),
    # comparisons and matrices
    Damage("unknown winner", "left,right,winner\na,b,c\n", 2, "'c' is neither 'a' nor 'b' nor a tie"),
    Damage("no winner", "left,right,winner\na,b,a\na,b,\n", 3, "the winner is empty"),
    Damage("item against itself", "left,right,winner\na,b,a\nb,b,b\n", 3, "'b' is compared with itself"),
    Damage("empty side", "left,right,winner\na,b,a\n,b,b\n", 3, "the item is empty"),
    Damage("items of nothing", "judge,left,right,winner\n" + "j,,,left\n" * 3, 2, "the item is empty"),
    # few rows are numbered by another route than many
    Damage("20,000 items of nothing", "judge,left,right,winner\n" + "j,,,left\n" * 20_000, 2, "the item is empty"),
    Damage("winner and items empty", "judge,left,right,winner\nj,a,b,a\nj,,b,\n", 3, "the winner is empty"),
    Damage("word below titles", "Peer review,,\n1 March 2026,,\n,,\nStudent,A,B\nada,95,90\nbob,ninety,85\n", 6, "column 'A': 'ninety' is neither a rank nor a score", {"format": "matrix"}),
    Damage("letter in a rank matrix", "rater,x,y\nA,1,2\nB,q,1\n", 3, "column 'x': 'q' is neither a rank nor a score", {"format": "matrix"}),
    # PGF
    Damage("PGF has no columns", "t g a > b\n", None, "pgf files have no columns to name, but item= was given", {"item": "x"}),
    Damage("PGF line too short", "t g a > b\nt g\n", 2, "'t g' is not a list"),
    Damage("PGF item missing", "t g a > b\nt h a > > b\n", 2, "an item is missing beside"),
    Damage("PGF label of two words", "t g a > b\nt h my essay > b\n", 2, "'my essay' is not an item"),
    Damage("PGF score in words", "t g a (8) > b (good)\n", 1, "column 'b': 'good' is not a score"),
    Damage("PGF item twice", "t g a > b\nt h a > b > a\n", 2, "'a' is reviewed by grader 'h' already (line 2)"),
    # PrefLib
    Damage("PrefLib without colon", PREFLIB + "1: 1,2\n2 1,2\n", 6, "'2 1,2' is not a vote"),
    Damage("PrefLib before 2022", PREFLIB + "3,1,2\n", 5, "PrefLib's format before 2022"),
    Damage("PrefLib count", PREFLIB + "zero: 1,2\n", 5, "'zero' is not a count of votes"),
    Damage("PrefLib brace", PREFLIB + "1: 1,{2\n", 5, "'1,{2' is not an order"),
    Damage("PrefLib unknown alternative", PREFLIB + "1: 1,3\n", 5, "'3' is not an alternative"),
    Damage("PrefLib alternative twice", PREFLIB + "1: 1,2,1\n", 5, "'1' stands twice in this vote"),
    Damage("PrefLib cut off", "# NUMBER VOTERS: 5\n" + PREFLIB + "1: 1\n", None, "NUMBER VOTERS 5, but there are 1"),
    Damage("PrefLib without votes", PREFLIB, None, "there are no votes in it"),
    Damage("PrefLib of another type", "# DATA TYPE: wmd\n1: 1\n", None, "type 'wmd' holds no rankings"),
]  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.name)
def test_damage_is_named_with_its_line_and_described_or_refused_by_looking(damage):
    data = damage.data.encode() if isinstance(damage.data, str) else damage.data

    with pytest.raises(DataError) as refusal:
        read(data, **damage.options)

    lines = [problem.line for problem in refusal.value.problems if damage.says in str(problem)]
    assert lines[:1] == [damage.line]
    try:
        seen = inspect(data, **damage.options).to_dict()
    except DataError as looked:
        seen = {"kind": "", "said": str(looked)}
    assert damage.says in json.dumps(seen) or seen["kind"] in ("csv", "pgf", "preflib")


def test_problems_of_one_kind_are_one_and_all_are_counted():
    rows = "".join(f"ada,x{n},bad {n}\n" for n in range(5000))

    with pytest.raises(DataError) as refusal:
        read((HEAD + rows).encode())

    lines = str(refusal.value).splitlines()
    assert lines[0] == "5000 problems"
    assert lines[1].startswith("  line 3, column 'score': 'bad 0' is not a number")
    assert lines[1].endswith("– and 4,999 more like it, as in line 4 ('bad 1') and line 5 ('bad 2')")
    assert len(lines) == 2


def test_of_many_kinds_of_problems_twenty_are_shown():
    lines = str(DataError([Problem(f"breaks rule {n}", line=n) for n in range(50)])).splitlines()

    assert lines[0] == "50 problems"
    assert lines[20:] == ["  line 19: breaks rule 19", "  … and 30 more"]


def test_the_file_is_named(tmp_path):
    path = tmp_path / "reviews.csv"
    path.write_text(HEAD + "ada,y,?\n", encoding="utf-8")

    with pytest.raises(DataError, match=r"reviews\.csv: line 3, column 'score': '\?' is not a number"):
        read(path)

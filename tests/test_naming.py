"""Messages name arguments in Python, options on the command line, fields on pages and in the API."""

import ast
import re
from pathlib import Path

import pytest

from peerage import DataError, Feedback, MethodError, grade, plan, read
from peerage._options import named, named_column, option_style
from peerage.cli._terminal import CommandLineFlags
from peerage_web.sandbox.contract.jobs import FormFields, PageFields

SOURCE = Path(__file__).parents[1] / "src"
HOLE = b"grader,item,score\nada,x,\nada,y,2\n"


def advice(data, naming):
    with option_style(naming), pytest.raises(DataError) as caught:
        read(data)
    return caught.value.problems[0].fix


def test_python_names_arguments():
    with pytest.raises(DataError, match="leave such rows out with missing='drop'"):
        read(HOLE)
    with pytest.raises(MethodError, match=r"^interval must be"):
        grade(Feedback.from_orders({"ada": ["x", "y"]}), interval=3)
    with pytest.raises(DataError, match=r"^per_student must be"):
        plan(30, 1)


HEADLESS = b"a1,item,score\nada,x,1\n"
CUT = "grader,item,score\nada,x,1\n".encode("utf-16")[:-1]
FRONT_ENDS = {
    CommandLineFlags: {
        HOLE: "leave such rows out with --missing drop",
        HEADLESS: "name it with --column grader=…",
        CUT: "export it again as UTF-8, or name its encoding with --encoding cp1252",
    },
    PageFields: {  # which has no field for an encoding
        HOLE: "leave such rows out with “A rank or score is missing”: Leave such rows out",
        HEADLESS: "name it with “Who graded”",
        CUT: "export it again as UTF-8",
    },
    FormFields: {
        HOLE: "leave such rows out with missing=drop",
        HEADLESS: "name it with column=grader=…",
        CUT: "export it again as UTF-8, or name its encoding with encoding=cp1252",
    },
}


@pytest.mark.parametrize("naming", FRONT_ENDS)
def test_front_ends_name_what_they_have(naming):
    told = {data: advice(data, naming()) for data in FRONT_ENDS[naming]}

    assert {data: words for data, words in FRONT_ENDS[naming].items() if words not in told[data]} == {}
    assert told[CUT] == FRONT_ENDS[naming][CUT]
    with option_style(naming()):
        [note] = read("grader,item,score\nzoë,x,1\n".encode("cp1252")).notes
    assert note.endswith("UTF-8") == (naming is PageFields)


def test_what_a_shell_would_split_is_quoted():
    with option_style(CommandLineFlags()):
        assert named("sheet", "Round 2") == "--sheet 'Round 2'"
        assert named_column("item", "Paper ID") == "--column item='Paper ID'"
        assert named("peer_scale", "LOW:HIGH") == "--peer-scale LOW:HIGH"
        assert named("lossy", True) == "--lossy"
    assert named("lossy", True) == "lossy=True"  # the way of a front end ends with it


def strings(path):
    """Every text of a module but its docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bodies = [node.body for node in ast.walk(tree) if isinstance(getattr(node, "body", None), list)]
    first = [body[0].value for body in bodies if body and isinstance(body[0], ast.Expr)]
    documented = {id(value) for value in first}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented:
            yield node.value


def test_the_library_names_no_option_of_the_command_line():
    """But for a reading, which prints itself as a command line."""
    sources = sorted((SOURCE / "peerage").rglob("*.py"))
    paths = [path for path in sources if "cli" not in path.parts and path.name != "reading.py"]
    flags = [
        f"{path.relative_to(SOURCE)}: {text}"
        for path in paths
        for text in strings(path)
        if re.search(r"(?<![-\w])--[a-z]", text) and "--ink" not in text  # colours of the report, in CSS
    ]

    assert flags == []

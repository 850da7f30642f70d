"""The documentation: every example runs, every link leads somewhere, every page says whom it is for."""

import ast
import doctest
import re
import shlex
import shutil
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from tests.cli.commands import run
from tests.cli.terminals import in_terminal

import peerage
from peerage.models.registry import METHODS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
README, CONTRIBUTING, CHANGELOG = (ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG"))
LINK = re.compile(r"\]\(([^)#\s]*)(#[^)\s]*)?\)")
ADDRESS = re.compile(r"\w+:")
FILE = re.compile(r"\*\*`([\w.]+)`\*\*\n\n```text\n(.*?)```", re.DOTALL)
SESSION = re.compile(r"```console\n\$ peerage (.*?)\n(.*?)```", re.DOTALL)
FIRST = DOCS / "tutorials" / "first-file.md"
GUIDE = DOCS / "how-to" / "get-a-file-read.md"


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def without_code(text: str) -> str:
    return re.sub(r"^```.*?^```|`[^`\n]+`", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Headings as links name them: what remains of their letters, in small ones."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where the examples of a page run: with the bundled classes, and the files that the page shows."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put_files(page: Path, folder: Path) -> None:
    for name, content in FILE.findall(page.read_text("utf-8")):
        (folder / name).write_text(content, "utf-8")


# -- examples -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "page", [page for page in (README, *PAGES) if ">>> " in page.read_text("utf-8")], ids=name_of
)
def test_python_examples_run(page, folder):
    put_files(page, folder)

    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")

    assert result.attempted > 0
    assert result.failed == 0


def test_examples_in_docstrings_run():
    names = [module.name for module in walk_packages(peerage.__path__, "peerage.")]
    results = {name: doctest.testmod(import_module(name)) for name in names if "__main__" not in name}

    assert [name for name, result in results.items() if result.failed] == []  # what failed is printed above
    assert sum(result.attempted for result in results.values()) > 80
    looked_up_first = {*(known.kind for known in METHODS.values()), peerage.fit}
    assert [what for what in looked_up_first if ">>>" not in what.__doc__] == []


def test_scripts_on_pages_are_python():
    for page in PAGES:
        for script in blocks(page.read_text("utf-8"), "python"):
            ast.parse(script, name_of(page))


def test_the_script_about_reports_runs(folder):
    [script] = blocks((DOCS / "how-to" / "read-the-report.md").read_text("utf-8"), "python")
    for name in ("feedback.csv", "roster.csv"):
        shutil.copy(ROOT / "examples" / "posters" / name, folder)

    exec(compile(script, "page", "exec"), {})

    written = {path.name for path in folder.iterdir()}
    assert {"report.html", "public.html", "student.html", "figures"} <= written


def test_the_first_tutorial_does_what_it_says(folder, monkeypatch):
    put_files(FIRST, folder)
    monkeypatch.setenv("COLUMNS", "100")
    text = FIRST.read_text("utf-8")
    [(command, session)] = SESSION.findall(text)
    typed = [shlex.split(line)[1:] for block in blocks(text, "sh") for line in block.splitlines()]

    shown = [run(*words) for words in typed[:2]]
    code, screen = in_terminal(*shlex.split(command), answers=["1\n"])
    again = run(*typed[2])

    assert [done.exit_code for done in (*shown, again)] == [0, 0, 0]
    assert code == 0
    assert screen.startswith(session.rstrip())
    said = {" ".join(line.split()) for done in shown for line in done.output.splitlines()}
    files = {content for _, content in FILE.findall(text)}
    promised = [line for block in blocks(text, "text") if block not in files for line in block.splitlines()]
    begins = [" ".join(line.split()) for line in promised]  # a page may leave columns at the right out
    assert begins
    assert [line for line in begins if not any(shown.startswith(line) for shown in said)] == []


def test_the_session_about_reading_is_what_a_terminal_shows(folder):
    put_files(GUIDE, folder)
    [(command, session)] = SESSION.findall(GUIDE.read_text("utf-8"))

    code, shown = in_terminal(*command.split(), answers=["1\n"])

    assert code == 0
    assert shown.rstrip() == session.rstrip()


# -- pages ----------------------------------------------------------------------------------------------


def test_links_lead_to_files_and_headings():
    broken = []
    for page in (README, CONTRIBUTING, CHANGELOG, *PAGES):
        for target, anchor in LINK.findall(without_code(page.read_text("utf-8"))):
            goal = (page.parent / target).resolve() if target else page
            if ADDRESS.match(target):
                continue
            if not goal.exists() or (anchor and goal.suffix == ".md" and anchor[1:] not in anchors(goal)):
                broken.append(f"{name_of(page)}: {target}{anchor}")

    assert broken == []


def test_every_page_says_first_whom_it_is_for():
    openings = {name_of(page): page.read_text("utf-8").split("\n", 2) for page in PAGES}

    assert [name for name, lines in openings.items() if not lines[0].startswith("# ")] == []
    assert [name for name, lines in openings.items() if not lines[2].lstrip().startswith("For ")] == []


def test_sentences_of_the_readme_hold():
    text = README.read_text("utf-8")
    low, high = re.search(r"\[\('\w+', 1, (\d+), (\d+)\)", text).groups()
    numbers = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)

    assert low == "1"
    assert f"The best poster is most likely (90 %) among the first {numbers[int(high) - 1]}," in text
    assert set(re.findall(r"^make ([a-z]+)", text, re.MULTILINE)) - set(targets) == set()


def test_files_that_contributors_are_sent_to_exist():
    names = ("how-to/add-a-model", "explanation/architecture", "explanation/how-a-fit-is-put-together")
    pages = [CONTRIBUTING, *(DOCS / f"{name}.md" for name in names)]
    named = re.findall(r"`([\w/]+\.(?:py|md))`", "".join(page.read_text("utf-8") for page in pages))
    there = {path.name for name in ("src", "tests", "docs") for path in (ROOT / name).rglob("*.*")}

    assert {Path(name).name for name in named} - there == {"your_model.py"}

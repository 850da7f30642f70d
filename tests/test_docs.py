"""The documentation: every example runs, every link leads somewhere, every page says whom it is for."""

from __future__ import annotations

import ast
import doctest
import re
import shlex
import shutil
from pathlib import Path

import pytest
from tests.cli.terminals import in_terminal
from typer.testing import CliRunner

import peerage
from peerage import metrics, report
from peerage.cli import app

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
LINK = re.compile(r"\]\(([^)#\s]*)(#[^)\s]*)?\)")
ADDRESS = re.compile(r"\w+:")
FILE = re.compile(r"\*\*`([\w.]+)`\*\*\n\n```text\n(.*?)```", re.DOTALL)
FIRST = DOCS / "tutorials" / "first-file.md"


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


@pytest.mark.parametrize("page", [page for page in PAGES if ">>> " in page.read_text("utf-8")], ids=name_of)
def test_python_examples_run(page, folder):
    put_files(page, folder)

    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")

    assert result.attempted > 0
    assert result.failed == 0


def test_scripts_on_pages_are_python():
    for page in PAGES:
        for script in blocks(page.read_text("utf-8"), "python"):
            ast.parse(script, name_of(page))


def test_the_script_about_reports_runs(folder):
    [script] = blocks((DOCS / "how-to" / "read-the-report.md").read_text("utf-8"), "python")
    for name in ("feedback.csv", "roster.csv"):
        shutil.copy(ROOT / "examples" / "posters" / name, folder)

    exec(compile(script, "page", "exec"), {})

    assert {"report.html", "public.html", "student.html", "figures"} <= {
        path.name for path in folder.iterdir()
    }


def test_the_first_tutorial_does_what_it_says(folder, monkeypatch):
    put_files(FIRST, folder)
    monkeypatch.setenv("COLUMNS", "100")
    text = FIRST.read_text("utf-8")
    [(command, session)] = re.findall(r"```console\n\$ peerage (.*?)\n(.*?)```", text, re.DOTALL)
    typed = [shlex.split(line)[1:] for block in blocks(text, "sh") for line in block.splitlines()]

    shown = [CliRunner().invoke(app, words) for words in typed[:2]]
    code, screen = in_terminal(*shlex.split(command), answers=["1\n"])
    again = CliRunner().invoke(app, typed[2])

    assert [done.exit_code for done in (*shown, again)] == [0, 0, 0]
    assert code == 0
    assert screen.startswith(session.rstrip())
    said = {" ".join(line.split()) for done in shown for line in done.output.splitlines()}
    files = {content for _, content in FILE.findall(text)}
    promised = [line for block in blocks(text, "text") if block not in files for line in block.splitlines()]
    begins = [" ".join(line.split()) for line in promised]  # a page may leave columns at the right out
    assert begins
    assert [line for line in begins if not any(shown.startswith(line) for shown in said)] == []


@pytest.mark.parametrize(
    "page", [*(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG")), *PAGES], ids=name_of
)
def test_links_lead_to_files_and_headings(page):
    broken = []
    for target, anchor in LINK.findall(without_code(page.read_text("utf-8"))):
        goal = (page.parent / target).resolve() if target else page
        if ADDRESS.match(target):
            continue
        if not goal.exists() or (anchor and goal.suffix == ".md" and anchor[1:] not in anchors(goal)):
            broken.append(target + anchor)

    assert broken == []


def test_every_page_says_first_whom_it_is_for():
    openings = {name_of(page): page.read_text("utf-8").split("\n", 2) for page in PAGES}

    assert [name for name, lines in openings.items() if not lines[0].startswith("# ")] == []
    assert [name for name, lines in openings.items() if not lines[2].lstrip().startswith("For ")] == []


def test_every_page_is_in_a_table_of_contents():
    listed = {
        (page.parent / f"{entry}.md").resolve()
        for page in PAGES
        for table in blocks(page.read_text("utf-8"), re.escape("{toctree}"))
        for entry in table.split()
        if not entry.startswith(":")
    }

    assert {page for page in PAGES if page not in listed} == {DOCS / "index.md"}


def test_every_public_name_is_in_the_reference():
    text = "".join(page.read_text("utf-8") for page in (DOCS / "reference" / "python").glob("*.md"))
    public = [name for name in peerage.__all__ if name != "__version__"]

    assert [name for name in public if f":: peerage.{name}\n" not in text] == []
    assert [name for name in report.__all__ if f":: peerage.report.{name}\n" not in text] == []
    assert ":: peerage.metrics\n" in text
    assert all(getattr(metrics, name).__doc__ for name in metrics.__all__)


def test_readme_and_contributing_stay_short():
    lengths = {
        name: len((ROOT / name).read_text("utf-8").splitlines()) for name in ("README.md", "CONTRIBUTING.md")
    }

    assert lengths["README.md"] <= 70
    assert lengths["CONTRIBUTING.md"] <= 150

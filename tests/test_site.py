"""The documentation as a site: it builds without a warning, twice to the same bytes, and needs no network."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOADED = re.compile(
    r"""(?:src|data-src)=["'](?:https?:)?//|<link[^>]+href=["'](?:https?:)?//|url\(["']?(?:https?:)?//"""
)

pytestmark = [pytest.mark.full, pytest.mark.long]
pytest.importorskip(
    "pydata_sphinx_theme", reason="requirements/docs.txt is not installed; `make docs` does it"
)


@pytest.fixture(scope="module")
def sites(tmp_path_factory) -> list[Path]:
    """Two builds from nothing, each in a folder of its own."""
    return [build(tmp_path_factory.mktemp(name)) for name in ("once", "again")]


def build(folder: Path) -> Path:
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-E"]
    target = folder / "site"
    done = subprocess.run(
        [*command, "-d", str(folder / "doctrees"), str(ROOT / "docs"), str(target)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return target


def files(site: Path) -> dict[str, bytes]:
    return {
        path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()
    }


def test_two_builds_have_the_same_bytes(sites):
    once, again = map(files, sites)

    assert once.keys() == again.keys()
    assert [name for name in once if once[name] != again[name]] == []


def test_no_page_loads_from_a_network_has_a_script_inside_or_names_this_machine(sites):
    """Without scripts inside, `script-src 'self'` is enough."""
    contents = files(sites[0])
    texts = {
        name: content.decode("utf-8")
        for name, content in contents.items()
        if name.endswith((".html", ".css"))
    }
    inside = re.compile(r"<script(?![^>]*\ssrc=)[^>]*>\s*\S|\son\w+=\"", re.DOTALL)

    assert len(texts) > 50
    assert {name: found[0] for name, text in texts.items() if (found := LOADED.search(text))} == {}
    assert [name for name, text in texts.items() if name.endswith(".html") and inside.search(text)] == []
    assert [name for name, content in contents.items() if str(ROOT).encode() in content] == []


def test_formulas_commands_and_addresses_are_on_their_pages(sites):
    def page(name: str) -> str:
        return (sites[0] / f"{name}.html").read_text("utf-8")

    assert page("explanation/methods").count("<math") > 10
    assert "\\frac" not in page("explanation/methods")
    assert "--staff-budget" in page("reference/command-line")
    assert "/api/v1/grade" in page("reference/http-addresses")
    assert "peerage.posterior" in page("reference/python/uncertainty")
    assert (sites[0] / "searchindex.js").stat().st_size > 100_000

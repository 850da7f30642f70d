"""What is released: the wheel has all that is needed and nothing else; image and pins name what exists."""

import json
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from peerage import __version__

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
SERVICES = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


# -- wheel and source -------------------------------------------------------------------------------------


@pytest.mark.full
def test_source_archive_and_wheel_have_all_that_is_needed_and_the_wheel_nothing_else(tmp_path):
    """An archive of what git knows, and the wheel that is built from that archive."""
    pytest.importorskip("build", reason="only the pinned tools build")
    source, target = tmp_path / "source", tmp_path / "dist"
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in filter(None, files.decode().split("\0")):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(target), str(source)]

    subprocess.run(command, capture_output=True, text=True, check=True)

    (archive,), (wheel,) = target.glob("*.tar.gz"), target.glob("*.whl")
    with tarfile.open(archive) as packed:
        packed_files = packed.getnames()
    assert f"peerage-{__version__}/tests/test_release.py" in packed_files
    assert f"peerage-{__version__}/requirements/hashed/web.txt" in packed_files
    info = f"peerage-{__version__}.dist-info/"
    with zipfile.ZipFile(wheel) as unzipped:
        names = {name for name in unzipped.namelist() if not name.startswith(info)}
    kept = {".py", ".html", ".css", ".js", ".svg", ".txt", ".mo", ".typed"}
    paths = [path for path in (ROOT / "src").rglob("*") if path.suffix in kept and path.is_file()]
    assert names == {path.relative_to(ROOT / "src").as_posix() for path in paths}
    assert {f"peerage_web/locale/{language}/LC_MESSAGES/django.mo" for language in ("de", "fr")} <= names


def test_the_citation_is_of_this_version():
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"] == __version__


# -- image ------------------------------------------------------------------------------------------------


def test_the_image_copies_and_runs_what_exists():
    copies = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    modules = re.findall(r"python -m (peerage\S*)", DOCKERFILE)
    needed = [ROOT / path for line in copies for path in line.split()]
    needed += [(ROOT / "src" / name.replace(".", "/")).with_suffix(".py") for name in modules]

    assert [path for path in needed if not path.exists()] == []
    assert json.loads(re.search(r"^CMD (\[.*\])", DOCKERFILE, re.MULTILINE)[1])[:2] == ["peerage", "serve"]


def test_the_image_is_not_root_and_keeps_its_data_in_one_volume():
    instructions = dict(re.findall(r"^([A-Z]+) (.+)$", DOCKERFILE, re.MULTILINE))

    assert instructions["USER"] == "peerage"
    assert instructions["ENV"] == f"PEERAGE_DATA={instructions['VOLUME']}"
    assert f"data:{instructions['VOLUME']}" in SERVICES["peerage"]["volumes"]


def test_services_of_the_compose_file_find_each_other_by_known_settings():
    settings = (ROOT / "docs" / "reference" / "settings.md").read_text("utf-8")
    database = SERVICES["database"]["environment"]
    user, name = database["POSTGRES_USER"], database["POSTGRES_DB"]
    (port,) = re.findall(r"^EXPOSE (\d+)$", DOCKERFILE, re.MULTILINE)
    environment = SERVICES["peerage"]["environment"]
    names = {*environment, *re.findall(r"PEERAGE_[A-Z]+(?==)", DOCKERFILE)}

    assert environment["DATABASE_URL"] == f"postgresql://{user}:${{POSTGRES_PASSWORD:?}}@database:5432/{name}"
    assert SERVICES["proxy"]["command"][-1] == f"peerage:{port}"
    assert f"127.0.0.1:{port}/" in DOCKERFILE
    assert {name for name in names if f"`{name}`" not in settings} == set()


# -- targets ----------------------------------------------------------------------------------------------


def test_the_workflow_runs_targets_and_extras_that_exist():
    workflow = (ROOT / ".github" / "workflows" / "test.yml").read_text("utf-8")
    targets = set(re.findall(r"run: make ([a-z-]+)", workflow))

    assert {"test", "test-all", "wheel"} <= targets
    assert [target for target in targets if not re.search(rf"^{target}:", MAKEFILE, re.MULTILINE)] == []
    assert set(re.search(r"\.whl\)\[([a-z,]+)\]", workflow)[1].split(",")) == set(EXTRAS) - {"dev"}


def test_the_tiers_leave_out_what_they_say():
    """`make test` leaves out what is marked `full`, `make test-all`, which CI runs, nothing."""
    assert runs_of("test") == [("tests.on_postgres", ['-m "not full"'])]
    assert runs_of("test-all") == [("tests.on_postgres", []), ("pytest", ["-m both"])]
    assert "exec make test-all" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def runs_of(target: str) -> list[tuple[str, list[str]]]:
    """The calls of pytest that a target makes, each with what selects its tests."""
    recipe = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)[1]
    calls = re.findall(r"/python -m (\S+) (.*)", recipe)
    selecting = re.compile(r"-[mk] (?:\"[^\"]*\"|\w+)|--(?:deselect|ignore)\S*")
    return [(module, selecting.findall(options)) for module, options in calls]


# -- versions of what is needed ---------------------------------------------------------------------------

# run in the pinned version only
TOOLS = {"build", "django-stubs", "hatchling", "import-linter", "mypy", "ruff", "uv"}
PINNED = ("core", "figures", "web", "cluster", "dev", "docs")


def bounds() -> dict[str, Version]:
    """The lower bound of every direct dependency."""
    texts = [*PROJECT["dependencies"], *(text for extra in EXTRAS.values() for text in extra)]
    needed = [Requirement(text) for text in texts]
    return {one.name: _version(one, ">=") for one in needed if one.name != PROJECT["name"]}


def pinned(*names: str) -> dict[str, tuple[Version, bool]]:
    """The exact versions in these files of `requirements/`, and whether each is for some Pythons only."""
    files = [(ROOT / "requirements" / f"{name}.txt").read_text("utf-8") for name in names]
    lines = "\n".join(files).splitlines()
    texts = [line.partition("#")[0].strip(" \\") for line in lines if not line.startswith(("-r ", " "))]
    needed = [Requirement(text) for text in texts if text]
    return {canonicalize_name(one.name): (_version(one, "=="), one.marker is not None) for one in needed}


def _version(one: Requirement, operator: str) -> Version:
    (version,) = (each.version for each in one.specifier if each.operator == operator)
    return Version(version)


def test_bounds_are_those_that_were_tried():
    """By requirements/lowest.txt below, by the pins above; tools are those that are pinned."""
    lower, lowest, pins = bounds(), pinned("lowest"), pinned(*PINNED[:-1])

    assert {name: version for name, (version, _) in lowest.items()} == {
        name: version for name, version in lower.items() if name not in TOOLS
    }
    assert {name: version for name, version in lower.items() if pins[name][0] < version} == {}
    assert [name for name in TOOLS if pins[name][0].release[:2] != lower[name].release] == []


@pytest.mark.parametrize("name", PINNED)
def test_every_pin_has_its_hashes(name):
    hashed = (ROOT / "requirements" / "hashed" / f"{name}.txt").read_text("utf-8")

    assert pinned(f"hashed/{name}") == pinned(name), "`make requirements` writes the hashes anew"
    assert [line for line in hashed.splitlines() if "==" in line and not line.endswith(" \\")] == []

"""What is released: the wheel has all that is needed and nothing else; the image names what exists."""

from __future__ import annotations

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

from peerage import __version__

ROOT = Path(__file__).parents[1]
SETTINGS = (ROOT / "docs" / "reference" / "settings.md").read_text("utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]


@pytest.fixture(scope="module")
def dist(tmp_path_factory) -> Path:
    """A source archive of what git knows, and the wheel that is built from that archive."""
    pytest.importorskip("build", reason="only the pinned tools build")
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    for name in filter(None, files.decode().split("\0")):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(target), str(source)]
    subprocess.run(command, capture_output=True, text=True, check=True)
    return target


@pytest.mark.full
def test_the_wheel_has_all_that_is_needed_and_nothing_else(dist):
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    kept = {".py", ".html", ".css", ".js", ".svg", ".txt", ".mo", ".typed"}
    wanted = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src").rglob("*")
        if path.suffix in kept and path.is_file()
    }
    info = f"peerage-{__version__}.dist-info/"

    assert {name for name in names if not name.startswith(info)} == wanted
    assert {f"peerage_web/locale/{language}/LC_MESSAGES/django.mo" for language in ("de", "fr")} <= names


@pytest.mark.full
def test_the_source_archive_has_the_tests(dist):
    (archive,) = dist.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        names = packed.getnames()

    assert f"peerage-{__version__}/tests/test_release.py" in names
    assert f"peerage-{__version__}/requirements/hashed/web.txt" in names


def test_the_citation_is_of_this_version():
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"] == __version__


def test_the_image_copies_and_runs_what_exists():
    copied = [
        path
        for line in re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
        for path in line.split()
    ]
    modules = re.findall(r"python -m (peerage\S*)", DOCKERFILE)

    assert [path for path in copied if not (ROOT / path).exists()] == []
    assert [
        name for name in modules if not (ROOT / "src" / name.replace(".", "/")).with_suffix(".py").exists()
    ] == []
    assert json.loads(re.search(r"^CMD (\[.*\])", DOCKERFILE, re.MULTILINE)[1])[:2] == ["peerage", "serve"]


def test_the_image_is_not_root_and_keeps_its_data_in_one_volume():
    instructions = dict(re.findall(r"^([A-Z]+) (.+)$", DOCKERFILE, re.MULTILINE))

    assert instructions["USER"] == "peerage"
    assert instructions["ENV"] == f"PEERAGE_DATA={instructions['VOLUME']}"
    assert f"data:{instructions['VOLUME']}" in COMPOSE["services"]["peerage"]["volumes"]


def test_image_and_compose_file_set_only_known_settings():
    names = {*COMPOSE["services"]["peerage"]["environment"], *re.findall(r"PEERAGE_[A-Z]+(?==)", DOCKERFILE)}

    assert {name for name in names if f"`{name}`" not in SETTINGS} == set()


def test_services_of_the_compose_file_find_each_other():
    services = COMPOSE["services"]
    database = services["database"]["environment"]
    url = services["peerage"]["environment"]["DATABASE_URL"]
    user, name = database["POSTGRES_USER"], database["POSTGRES_DB"]
    (port,) = re.findall(r"^EXPOSE (\d+)$", DOCKERFILE, re.MULTILINE)

    assert url == f"postgresql://{user}:${{POSTGRES_PASSWORD:?}}@database:5432/{name}"
    assert services["proxy"]["command"][-1] == f"peerage:{port}"
    assert f"127.0.0.1:{port}/" in DOCKERFILE


def test_the_workflow_runs_targets_and_extras_that_exist():
    workflow = (ROOT / ".github" / "workflows" / "test.yml").read_text("utf-8")
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"run: make ([a-z-]+)", workflow))

    assert {"test", "test-all", "wheel"} <= targets
    assert [target for target in targets if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []
    assert set(re.search(r"\.whl\)\[([a-z,]+)\]", workflow)[1].split(",")) == set(EXTRAS) - {"dev"}

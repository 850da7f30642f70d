"""The bounds of pyproject.toml are those that were tried: requirements/lowest.txt below, the pins above."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
TOOLS = {
    "build",
    "django-stubs",
    "hatchling",
    "import-linter",
    "mypy",
    "ruff",
    "uv",
}  # run in the pinned version only


def bounds() -> dict[str, Version]:
    """The lower bound of every direct dependency."""
    texts = [
        *PROJECT["dependencies"],
        *(text for extra in PROJECT["optional-dependencies"].values() for text in extra),
    ]
    needed = [Requirement(text) for text in texts]
    return {one.name: _version(one, ">=") for one in needed if one.name != PROJECT["name"]}


def pinned(*files: str) -> dict[str, Version]:
    """The exact versions in files of `requirements/`."""
    return {one.name: _version(one, "==") for one in requirements(*files)}


def requirements(*files: str) -> list[Requirement]:
    """The lines of files of `requirements/`, without those they refer to."""
    lines = [
        line for file in files for line in (ROOT / "requirements" / file).read_text("utf-8").splitlines()
    ]
    texts = [line.partition("#")[0].strip(" \\") for line in lines if not line.startswith(("-r ", " "))]
    return [Requirement(text) for text in texts if text]


def _version(one: Requirement, operator: str) -> Version:
    (version,) = (each.version for each in one.specifier if each.operator == operator)
    return Version(version)


def test_the_lowest_versions_are_the_bounds():
    bound = {name: version for name, version in bounds().items() if name not in TOOLS}

    assert pinned("lowest.txt") == bound


def test_every_bound_has_a_pin_that_keeps_it():
    pins = pinned("core.txt", "figures.txt", "web.txt", "cluster.txt", "dev.txt")

    assert {name: version for name, version in bounds().items() if pins[name] < version} == {}


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_tools_are_those_that_are_pinned(name):
    assert pinned("dev.txt")[name].release[:2] == bounds()[name].release


@pytest.mark.parametrize("name", ["core", "figures", "web", "cluster", "dev", "docs"])
def test_every_pin_has_its_hashes(name):
    hashed = (ROOT / "requirements" / "hashed" / f"{name}.txt").read_text("utf-8")
    without = [line for line in hashed.splitlines() if "==" in line and not line.endswith(" \\")]

    assert pins(f"hashed/{name}.txt") == pins(f"{name}.txt"), "`make requirements` writes the hashes anew"
    assert without == []


def pins(file: str) -> dict[str, tuple[Version, bool]]:
    """The versions in a file, and whether each is for some Pythons only."""
    needed = requirements(file)
    return {canonicalize_name(one.name): (_version(one, "=="), one.marker is not None) for one in needed}

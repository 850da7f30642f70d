"""The bounds of pyproject.toml are those that were tried: requirements/lowest.txt below, the pins above."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
LINTERS = {"django-stubs", "import-linter", "mypy", "ruff"}  # run in the pinned version only


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
    lines = [
        line for file in files for line in (ROOT / "requirements" / file).read_text("utf-8").splitlines()
    ]
    texts = [line.partition("#")[0].strip() for line in lines if not line.startswith("-r ")]
    needed = [Requirement(text) for text in texts if text]
    return {one.name: _version(one, "==") for one in needed}


def _version(one: Requirement, operator: str) -> Version:
    (version,) = (each.version for each in one.specifier if each.operator == operator)
    return Version(version)


def test_the_lowest_versions_are_the_bounds():
    bound = {name: version for name, version in bounds().items() if name not in LINTERS}

    assert pinned("lowest.txt") == bound


def test_every_bound_has_a_pin_that_keeps_it():
    pins = pinned("core.txt", "web.txt", "cluster.txt", "dev.txt")

    assert {name: version for name, version in bounds().items() if pins[name] < version} == {}


@pytest.mark.parametrize("name", sorted(LINTERS))
def test_linters_are_those_that_are_pinned(name):
    assert pinned("dev.txt")[name].release[:2] == bounds()[name].release

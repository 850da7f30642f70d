"""Every example in a docstring of the package runs and is right."""

from __future__ import annotations

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest

import peerage
from peerage.models.registry import METHODS

MODULES = [
    module.name
    for module in walk_packages(peerage.__path__, "peerage.")
    if not module.name.endswith("__main__")
]


def test_examples_run():
    results = {name: doctest.testmod(import_module(name)) for name in MODULES}

    assert [name for name, result in results.items() if result.failed] == []  # what failed is printed above
    assert sum(result.attempted for result in results.values()) > 80


@pytest.mark.parametrize("what", [*(known.kind for known in METHODS.values()), peerage.fit])
def test_what_people_look_up_first_has_an_example(what):
    assert ">>>" in what.__doc__

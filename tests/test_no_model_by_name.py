"""Code outside `models` asks a model what it can do: never which class it is of, nor what it has."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import peerage
from peerage.models.registry import METHODS

SRC = Path(peerage.__file__).parents[1]
CLASSES = {method.estimator for method in METHODS.values()} | {"SmoothModel"}
HOLDERS = {"fitted", "estimator", "model", "method", "twin", "choice"}  # what a model is called in our code
PROBES = {"hasattr", "getattr", "isinstance", "issubclass", "type"}
ALLOWED = {
    "peerage/__init__.py": "the face of the library: people import the classes from here",
    "peerage/allocation/preview.py": "measures designs by one model's curvature; asks nothing of a model",
    "peerage_web/planning/api.py": "an example in the description of the API",
}
FILES = [
    file
    for root in ("peerage", "peerage_web")
    for file in sorted((SRC / root).rglob("*.py"))
    if not file.is_relative_to(SRC / "peerage" / "models")
]


def written(node: ast.AST) -> str:
    """The name or the text that a node is, if it is one."""
    parts = {ast.alias: "name", ast.Name: "id", ast.Attribute: "attr", ast.Constant: "value"}
    return str(getattr(node, parts[type(node)])) if type(node) in parts else ""


def is_model(node: ast.expr) -> bool:
    return not isinstance(node, ast.Constant) and written(node) in HOLDERS


def called(node: ast.AST) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def askings(tree: ast.AST) -> Iterator[str]:
    """Every place that names a model's class, or probes a model."""
    for node in ast.walk(tree):
        if written(node) in CLASSES or (
            called(node) in PROBES and is_model(node.args[0]) and not is_text_test(node)
        ):
            yield ast.unparse(node)


def is_text_test(node: ast.Call) -> bool:
    """`isinstance(method, str)`: whether it is a code or a model."""
    return called(node) == "isinstance" and isinstance(node.args[1], ast.Name) and node.args[1].id == "str"


def test_no_file_outside_models_asks_what_a_model_is():
    found = {
        file.relative_to(SRC).as_posix(): list(askings(ast.parse(file.read_text(encoding="utf-8"))))
        for file in FILES
    }
    asking = {name: places for name, places in found.items() if places}

    assert {name: places for name, places in asking.items() if name not in ALLOWED} == {}
    assert ALLOWED.keys() - asking.keys() == set(), "allowed, and not needed"


@pytest.mark.parametrize(
    "code",
    [
        "from peerage.models import Thurstone",
        'type(fitted).__name__ == "Mallows"',
        "isinstance(result.fitted, Base)",
        'hasattr(fitted, "biases_")',
        'getattr(self.estimator, "threshold", 0.0)',
        "models.Combined()",
    ],
)
def test_the_scan_finds_what_it_looks_for(code):
    assert list(askings(ast.parse(code)))

"""Packages meet at their faces: nobody reaches past one, and every face tells type checkers what it loads."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import peerage

SRC = Path(peerage.__file__).parents[1]
FILES = sorted((SRC / "peerage").rglob("*.py"))
LAZY = [
    file
    for file in FILES
    if file.name == "__init__.py" and "__getattr__, __dir__ = lazy(" in file.read_text()
]


def dotted(file: Path) -> str:
    return ".".join(file.relative_to(SRC).with_suffix("").parts).removesuffix(".__init__")


def imports(file: Path) -> Iterator[tuple[str, str]]:
    """Module and name of everything that a file imports from the project."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("peerage"):
            yield from ((node.module, alias.name) for alias in node.names)


def past_a_face(file: Path) -> list[str]:
    """What a file takes from inside a package that it is not in itself."""
    home = file.relative_to(SRC).parts[:-1]
    found = []
    for module, name in imports(file):
        target = module.split(".")
        shared = next((k for k, (a, b) in enumerate(zip(home, target, strict=False)) if a != b), None)
        shared = min(len(home), len(target)) if shared is None else shared
        if len(target) > shared + 1 or (name.startswith("_") and not name.startswith("__")):
            found.append(f"{dotted(file)} takes {name} from {module}")
    return found


def test_nobody_reaches_past_a_face():
    assert [slip for file in FILES for slip in past_a_face(file)] == []


def test_a_face_loads_what_it_tells_type_checkers():
    for file in LAZY:
        package = import_module(dotted(file))
        told = {name for module, name in imports(file) if not module.startswith("peerage._")}

        assert set(package.__dir__()) - {"__version__"} <= told, file
        assert all(getattr(package, name) is not None for name in package.__dir__()), file


def test_no_name_of_a_face_is_that_of_a_module():
    """Importing such a module would put it in the place of the name."""
    for file in LAZY:
        modules = {path.stem for path in file.parent.iterdir()}

        assert not modules & set(import_module(dotted(file)).__dir__()), file

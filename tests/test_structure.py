"""The source as a reader meets it: one class for a name, no circles of imports, nothing loaded lazily."""

import ast
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
PUBLIC = "peerage"  # its __init__ alone loads public names on first use


def name_of(path):
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


TREES = {
    name_of(path): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(SOURCE.rglob("*.py"))
    if path.parent.name != "migrations"  # Django names their classes and their order
}


def imports_of(tree):
    """Modules of ours that a file imports, wherever in it, also for its types only."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in TREES else node.module for name in inner)


def test_no_class_name_exists_twice():
    homes = defaultdict(list)
    for module, tree in TREES.items():
        for node in tree.body:  # a class inside another, as a model's Meta, has that one's name before it
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(module)

    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


def test_no_files_import_each_other_in_a_circle():
    graph = {
        module: {name for name in imports_of(tree) if name in TREES and name not in (module, PUBLIC)}
        for module, tree in TREES.items()
        if module != PUBLIC
    }

    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(f"a circle of imports: {' <- '.join(error.args[1])}") from None


def test_packages_inside_load_nothing_lazily():
    lazy = [
        name_of(path)
        for path in (SOURCE / "peerage").rglob("__init__.py")
        if any(
            isinstance(node, ast.FunctionDef) and node.name == "__getattr__"
            for node in TREES[name_of(path)].body
        )
    ]

    assert lazy == [PUBLIC]

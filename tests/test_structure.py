"""The source as a reader meets it: names stand for one thing, imports run one way, colours stand once."""

import ast
import re
import sys
from collections import defaultdict
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from peerage.models.registry import METHODS
from peerage.palette import DARK, LIGHT, SHEET, custom_properties
from peerage.report.page import COLOURS

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
PUBLIC = "peerage"  # its __init__ alone loads public names on first use


def name_of(path):
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


@cache  # and not while tests are collected, which every worker does
def trees():
    """The source by its modules."""
    return {
        name_of(path): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(SOURCE.rglob("*.py"))
        if path.parent.name != "migrations"  # Django names their classes and their order
    }


# -- names and imports ------------------------------------------------------------------------------------


def test_no_class_name_exists_twice():
    homes = defaultdict(list)
    for module, tree in trees().items():
        for node in tree.body:  # a class inside another, as a model's Meta, has that one's name before it
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(module)

    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


def imports_of(tree):
    """Modules of ours that a file imports, wherever in it, also for its types only."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in trees() else node.module for name in inner)


def test_no_files_import_each_other_in_a_circle():
    graph = {
        module: {name for name in imports_of(tree) if name in trees() and name not in (module, PUBLIC)}
        for module, tree in trees().items()
        if module != PUBLIC
    }

    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(f"a circle of imports: {' <- '.join(error.args[1])}") from None


def test_packages_inside_load_nothing_lazily():
    packages = (SOURCE / "peerage").rglob("__init__.py")

    assert [name_of(path) for path in packages if "def __getattr__" in path.read_text("utf-8")] == [PUBLIC]


def test_no_file_of_the_tests_hides_a_module_of_python():
    """They stand on the path while they run, and in every process that they start."""
    names = {path.stem for path in Path(__file__).parent.rglob("*.py")}

    assert sorted(names & sys.stdlib_module_names) == []


# -- models -----------------------------------------------------------------------------------------------

CLASSES = {method.estimator for method in METHODS.values()} | {"SmoothModel"}
HOLDERS = {"fitted", "estimator", "model", "method", "twin", "choice"}  # what a model is called in our code
PROBES = {"hasattr", "getattr", "isinstance", "issubclass", "type"}
ALLOWED = {
    "peerage": "the face of the library: people import the classes from here",
    "peerage.allocation.preview": "measures designs by one model's curvature; asks nothing of a model",
    "peerage_web.planning.api": "an example in the description of the API",
}


def asks_what_a_model_is(node):
    """Whether it names a model's class, or probes a model but for `isinstance(method, str)`."""
    match node:
        case (
            ast.alias(name=name)
            | ast.Name(id=name)
            | ast.Attribute(attr=name)
            | ast.Constant(value=str(name))
        ):
            return name in CLASSES
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Name(id="str")]):
            return False
        case ast.Call(func=ast.Name(id=probe), args=[ast.Name(id=held) | ast.Attribute(attr=held), *_]):
            return probe in PROBES and held in HOLDERS
    return False


def test_no_file_outside_models_asks_what_a_model_is():
    """Code asks a model what it can do: never which class it is of, nor what it has."""
    asking = defaultdict(list)
    for module, tree in trees().items():
        if not module.startswith("peerage.models"):
            for node in filter(asks_what_a_model_is, ast.walk(tree)):
                asking[module].append(ast.unparse(node))

    assert {name: places for name, places in asking.items() if name not in ALLOWED} == {}
    assert ALLOWED.keys() - asking.keys() == set(), "allowed, and not needed"
    probes = ("isinstance(result.fitted, Base)", 'getattr(self.estimator, "threshold", 0.0)', "type(fitted)")
    for code in probes:
        assert asks_what_a_model_is(ast.parse(code, mode="eval").body)


# -- colours ----------------------------------------------------------------------------------------------


def test_every_colour_stands_in_the_palette_alone():
    kinds = ("src/peerage/**/*.py", "src/peerage/**/*.css", "src/peerage/**/*.js")
    places = [path for kind in (*kinds, "benchmarks/*.py", "experiments/**/*.py") for path in ROOT.glob(kind)]
    found = {
        path.relative_to(ROOT).as_posix(): re.findall(
            r"#(?:[0-9a-fA-F]{3}){1,2}\b", path.read_text(encoding="utf-8")
        )
        for path in places
        if path.name not in ("palette.py", SHEET.name)
    }

    assert {name: colours for name, colours in found.items() if colours} == {}
    assert SHEET.read_text(encoding="utf-8") == custom_properties()  # else: python -m peerage.palette
    style = (SHEET.parent / "report.css").read_text(encoding="utf-8")
    assert set(re.findall(r"var\(--([\w-]+)\)", style)) == set(COLOURS)


def test_text_can_be_read_on_its_paper():
    """A contrast of 4.5 at least, as WCAG counts it; axe asks the same of what pages make of it."""

    def luminance(colour):
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    papers = ("paper", "sheet", "band-a", "band-b")
    pairs = [(ink, paper) for ink in ("ink", "muted", "accent", "accent-deep") for paper in papers]
    pairs += [("ink", "accent-soft"), ("on-accent", "accent"), ("on-accent", "accent-deep")]
    pairs += [(f"{kind}-ink", f"{kind}-paper") for kind in ("warn", "bad", "note")]
    pale = []
    for name, colours in (("light", LIGHT), ("dark", DARK)):
        for ink, paper in pairs:
            dark, light = sorted((luminance(colours[ink]), luminance(colours[paper])))
            if (light + 0.05) / (dark + 0.05) < 4.5:
                pale.append(f"{name}: {ink} on {paper}")

    assert pale == []

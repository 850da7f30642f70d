"""Methods of other libraries beside ours, from a Python file of the user's.

The file has a dictionary `CONTENDERS`: for every name, the package that it needs and a function from feedback
to scores. `benchmarks/peers.py` of the repository is one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from peerage._naming import named as named_option
from peerage.errors import MethodError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from peerage.feedback.container import Feedback

Contender: TypeAlias = "tuple[str, Callable[[Feedback], NDArray[np.float64]]]"

KNOWN: dict[str, Contender] = {}  # of this process; all processes of an experiment read one file


def use_contenders(file: str | None) -> None:
    """Take the methods of this file, and of no other, into experiments."""
    KNOWN.clear()
    if file is not None:
        KNOWN.update(_contenders(Path(file)))


@cache
def _contenders(path: Path) -> dict[str, Contender]:
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise MethodError(f"contenders {str(path)!r}: there is no such Python file")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, Contender] | None = getattr(module, "CONTENDERS", None)
    if found is None:
        raise MethodError(f"contenders {str(path)!r}: the file has no dictionary CONTENDERS")
    return found


def installed() -> list[str]:
    """The contenders whose package is there."""
    if not KNOWN:
        raise MethodError(f"the group 'peers' needs their file: {named_option('contenders', 'FILE')}")
    return [name for name, (package, _) in KNOWN.items() if find_spec(package) is not None]


def named(name: str) -> str | None:
    """A contender's name as its file spells it; None for one of ours."""
    known = next((known for known in KNOWN if known.lower() == name.lower()), None)
    if known is not None and find_spec(KNOWN[known][0]) is None:
        raise MethodError(f"{known} needs the package {KNOWN[known][0]!r}, which is not installed")
    return known

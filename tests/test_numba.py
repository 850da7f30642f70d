"""Compiled code is thrown away when anything that went into it changes."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import numba
import pytest

from peerage import _numba
from peerage.models.mallows import ranking

INNER = """
from peerage._numba import kernel
@kernel
def inner(x):
    return x + {number}
"""
OUTER = """
from peerage._numba import kernel
from inner import inner
@kernel
def outer(x):
    return 10 * inner(x)
"""


def answer(folder):
    """What a fresh process computes."""
    command = [sys.executable, "-c", "from outer import outer; print(outer(1))"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return int(done.stdout)


def test_a_kernel_follows_what_it_calls_in_another_file(tmp_path):
    (tmp_path / "outer.py").write_text(OUTER)
    (tmp_path / "inner.py").write_text(INNER.format(number=1))
    before, again = answer(tmp_path), answer(tmp_path)

    (tmp_path / "inner.py").write_text(INNER.format(number=22))

    assert (before, again, answer(tmp_path)) == (20, 20, 230)


def test_compiled_code_of_a_class_that_was_renamed_is_compiled_anew(tmp_path):
    """The index of compiled code names the classes of arguments: after an upgrade, one may be gone."""
    kernel = "from peerage._numba import kernel\n@kernel\ndef total(pair):\n    return pair.a + pair.b\n"
    (tmp_path / "inner.py").write_text(kernel)
    for name in ("Pair", "Couple"):
        kinds = f"from typing import NamedTuple\nclass {name}(NamedTuple):\n    a: int\n    b: int\n"
        (tmp_path / "kinds.py").write_text(kinds)
        call = f"from kinds import {name}\nfrom inner import total\nouter = lambda x: total({name}(x, 2))\n"
        (tmp_path / "outer.py").write_text(call)

        assert answer(tmp_path) == 3


def test_stamps_name_the_files_that_a_kernel_is_made_of():
    stamp = ranking._withdraw._cache._cache_file._source_stamp

    names = [name for name, _, _ in stamp]

    assert {"ranking.py", "index.py", "quickheap.py", "lists.py"} <= set(names)
    assert "plackett_luce.py" not in names


@pytest.mark.parametrize(
    "parts", [{}, {"_cache": 0}, {"_cache": SimpleNamespace()}, {"_cache": SimpleNamespace(_cache_file=0)}]
)
def test_another_way_of_keeping_compiled_code_is_refused_aloud(parts, monkeypatch):
    compiled = SimpleNamespace(**parts)
    monkeypatch.setattr(_numba, "njit", lambda **options: lambda function: compiled)

    with pytest.raises(ImportError, match=rf"Numba {numba.__version__} keeps compiled code in another way"):
        _numba.kernel(lambda x: x)


def test_the_installed_numba_has_the_shortcut():
    """Without it everything works, a tenth slower: docs/explanation/decisions/start-up.md."""
    assert ranking._withdraw._cache.load_overload.__module__ == "peerage._numba"

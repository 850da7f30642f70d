"""Compiled code: thrown away when anything that went into it changes, announced once, kept safely."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numba
import pytest
from tests.cli.commands import run

from peerage import _numba
from peerage._compiling import announce_compilation, watch_compilation
from peerage.cli import _terminal
from peerage.models.mallows import ranking

# -- what it is good for ------------------------------------------------------------------------------------

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
    names = {name for name, _, _ in ranking._withdraw._cache._cache_file._source_stamp}

    assert {"ranking.py", "index.py", "quickheap.py", "lists.py"} <= names
    assert "plackett_luce.py" not in names


@pytest.mark.parametrize("parts", [{}, {"_cache": SimpleNamespace(_cache_file=0)}])
def test_another_way_of_keeping_compiled_code_is_refused_aloud(parts, monkeypatch):
    compiled = SimpleNamespace(**parts)
    monkeypatch.setattr(_numba, "njit", lambda **options: lambda function: compiled)

    with pytest.raises(ImportError, match=rf"Numba {numba.__version__} keeps compiled code in another way"):
        _numba.kernel(lambda x: x)


def test_the_installed_numba_has_the_shortcut():
    """Without it everything works, a tenth slower: docs/explanation/decisions/start-up.md."""
    assert ranking._withdraw._cache.load_overload.__module__ == "peerage._numba"


# -- what is said of it -------------------------------------------------------------------------------------

TWO_KERNELS = """
from peerage._numba import kernel
@kernel
def twice(x):
    return 2 * x
@kernel
def thrice(x):
    return 3 * x
"""


def loaded(path):
    spec = importlib.util.spec_from_file_location("probe", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_kernel_is_told_of_when_it_is_compiled_and_not_again(tmp_path):
    path, told = tmp_path / "probe.py", []
    path.write_text(TWO_KERNELS, encoding="utf-8")

    with watch_compilation(told.append):
        assert loaded(path).twice(2.0) == 4.0
        assert loaded(path).twice(3.0) == 6.0
    announce_compilation("unheard")

    assert told == ["twice"]


def test_the_command_line_says_so_once(tmp_path, monkeypatch):
    path = tmp_path / "probe.py"
    path.write_text(TWO_KERNELS, encoding="utf-8")

    def read(*_):
        module = loaded(path)
        module.twice(1.0)
        module.thrice(1.0)
        raise KeyboardInterrupt

    monkeypatch.setattr("peerage.roster.input.read_input", read)

    first, second = (run("check", "f.csv") for _ in range(2))

    assert first.stderr.count(_terminal.COMPILING) == 1
    assert _terminal.COMPILING not in second.stderr


def test_a_bar_counts_what_is_compiled(monkeypatch):
    said = []
    bar = SimpleNamespace(
        console=SimpleNamespace(print=said.append),
        add_task=lambda words, total: 1,
        update=lambda task, description: said.append(description),
    )
    monkeypatch.setattr(_terminal, "_bars", [bar])

    tell = _terminal._announce()
    tell("one")
    tell("two")

    assert said == [_terminal.COMPILING, "compiling, once: 1 so far", "compiling, once: 2 so far"]


# -- where it is kept on a read-only installation without a home ---------------------------------------------

linux = pytest.mark.skipif(sys.platform != "linux", reason="the walls of Linux make files read-only here")

# Everything but one folder is read-only, for root too: by the walls that the web service builds.
WALLED = """
import os, sys
from pathlib import Path
from peerage_web.sandbox.walls import landlock
from peerage_web.sandbox.walls.build import readable_folders
from peerage_web.sandbox.walls.system import prctl

own = Path(sys.argv[1]) if sys.argv[1] else None
prctl(38, 1)
landlock.restrict(own, readable_folders(), [Path("/dev/null")], landlock.supported_version())
import numba, numpy as np
from numba.core.event import install_recorder
from peerage.metrics.accuracy import tau_error
with install_recorder("numba:compile") as recorder:
    print(tau_error(np.arange(9.0), np.arange(9.0)[::-1].copy()))
print(numba.config.CACHE_DIR)
print(len(recorder.buffer) > 0)
"""


def walled(folder: Path | None) -> list[str]:
    from peerage_web.sandbox.walls import landlock

    if not landlock.supported_version():
        pytest.skip("this kernel has no Landlock")
    environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    environment |= {"HOME": "/nonexistent", "TMPDIR": str(folder or "/nonexistent")}
    command = [sys.executable, "-B", "-c", WALLED, str(folder or "")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@linux
def test_compiled_code_is_kept_among_temporary_files(tmp_path):
    first, again = walled(tmp_path), walled(tmp_path)

    place = str(tmp_path / f"peerage-kernels-{os.getuid()}")
    assert first == ["100.0", place, "True"]
    assert again == ["100.0", place, "False"]
    assert Path(place).stat().st_mode & 0o777 == 0o700


@linux
def test_without_any_place_everything_is_compiled_in_every_process():
    assert walled(None) == ["100.0", "", "True"]


@linux
@pytest.mark.parametrize("spoil", ["open to others", "a link"])
def test_a_folder_that_others_can_write_is_not_trusted(tmp_path, monkeypatch, spoil):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    place = tmp_path / f"peerage-kernels-{os.getuid()}"
    if spoil == "a link":
        (tmp_path / "elsewhere").mkdir()
        place.symlink_to(tmp_path / "elsewhere")
    else:
        place.mkdir()
        place.chmod(0o777)

    assert not _numba.use_temporary_cache()

"""Where compiled kernels are kept when there is no usual place: a read-only installation without a home."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from peerage import _numba

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the walls of Linux make files read-only here"
)

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
    environment |= {
        "HOME": "/nonexistent",
        "TMPDIR": str(folder or "/nonexistent"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", WALLED, str(folder or "")], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_compiled_code_is_kept_among_temporary_files(tmp_path):
    first, again = walled(tmp_path), walled(tmp_path)

    place = str(tmp_path / f"peerage-kernels-{os.getuid()}")
    assert first == ["100.0", place, "True"]
    assert again == ["100.0", place, "False"]
    assert Path(place).stat().st_mode & 0o777 == 0o700


def test_without_any_place_everything_is_compiled_in_every_process():
    assert walled(None) == ["100.0", "", "True"]


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

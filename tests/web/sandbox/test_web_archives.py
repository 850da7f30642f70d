"""Archives of courses in the child: what is wrong with the file, and what is not its fault."""

from __future__ import annotations

import errno
import zipfile

import pytest

from peerage_web.sandbox.contract.jobs import JobFiles
from peerage_web.sandbox.work import archives


@pytest.fixture
def read(tmp_path, monkeypatch):
    (tmp_path / "input").mkdir()
    with zipfile.ZipFile(tmp_path / "input" / "course.zip", "w") as archive:
        archive.writestr("course.json", "{}")
    monkeypatch.chdir(tmp_path)
    files = JobFiles(str(tmp_path), "course.zip")
    return lambda: archives.read_course_archive(files, {}, "format", 1, 1 << 20, on_step=lambda step: None)


def refuse(number: int):
    def raise_(*given: object) -> None:
        raise OSError(number, "no")

    return raise_


def test_a_full_disk_is_not_called_a_broken_archive(read, monkeypatch):
    monkeypatch.setattr(archives, "_read", refuse(errno.ENOSPC))

    with pytest.raises(OSError, match="no"):
        read()


def test_an_archive_that_leads_nowhere_is_told(read, monkeypatch):
    monkeypatch.setattr(archives, "_read", refuse(errno.EINVAL))

    assert read() == {"problem": {"code": "no-zip"}}

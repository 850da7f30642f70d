"""Work of the child: archives that cannot be read for no fault of theirs, and sections no page knows yet."""

import errno
import json
import zipfile
from contextlib import nullcontext

import pytest

from peerage import Feedback, grade
from peerage.report.sections import SECTIONS, Section
from peerage_web.sandbox.contract.jobs import JobFiles
from peerage_web.sandbox.work import archives
from peerage_web.sandbox.work.grading import ARRANGED_SECTIONS, write_result_parts


@pytest.mark.parametrize(
    ("number", "outcome"),
    [(errno.ENOSPC, pytest.raises(OSError, match="no")), (errno.EINVAL, nullcontext())],
)
def test_an_archive_that_leads_nowhere_is_told_and_a_full_disk_is_not_called_one(
    tmp_path, monkeypatch, number, outcome
):
    (tmp_path / "input").mkdir()
    with zipfile.ZipFile(tmp_path / "input" / "course.zip", "w") as archive:
        archive.writestr("course.json", "{}")

    def fail(*given):
        raise OSError(number, "no")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(archives, "_read", fail)
    files = JobFiles(str(tmp_path), "course.zip")

    with outcome:
        said = archives.read_course_archive(files, {}, "format", 1, 1 << 20, on_step=lambda step: None)
        assert said == {"problem": {"code": "no-zip"}}


def test_a_section_of_the_report_that_the_page_does_not_know_comes_after_those_it_arranges(
    tmp_path, monkeypatch
):
    result = grade(Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["x", "y"]), ("cyd", ["y", "x"])]))
    own = {"heads": lambda result: f"{result.feedback.n_graders} heads"}
    heads = Section("heads", "heads", "Heads", "Heads", "$heads", own)

    def parts():
        write_result_parts(result, tmp_path)
        return json.loads((tmp_path / "parts.json").read_text(encoding="utf-8"))

    assert {section.anchor for section in SECTIONS} == ARRANGED_SECTIONS
    assert (parts()["more"], parts()["more_links"]) == ("", "")

    monkeypatch.setattr("peerage.report.sections.SECTIONS", (*SECTIONS, heads))

    assert '<h2 id="heads-title">Heads</h2>\n3 heads\n</section>' in parts()["more"]
    assert parts()["more_links"] == '<li><a href="#heads">Heads</a></li>'

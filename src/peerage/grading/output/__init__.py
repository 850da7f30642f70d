"""What is written out: the record, the files, the grade books."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.grading.output.export import gradebook as gradebook
    from peerage.grading.output.files import write_results as write_results
    from peerage.grading.output.files import write_run as write_run
    from peerage.grading.output.files import write_table as write_table
    from peerage.grading.output.results_json import record as record

__getattr__, __dir__ = lazy(
    __name__,
    {
        "gradebook": "export",
        "record": "results_json",
        "write_results": "files",
        "write_run": "files",
        "write_table": "files",
    },
)

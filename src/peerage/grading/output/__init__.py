"""What is written out: the record, the files, the grade books."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.grading.output.books import BOOKS as BOOKS
    from peerage.grading.output.books import BookOptions as BookOptions
    from peerage.grading.output.books import GradeAs as GradeAs
    from peerage.grading.output.books import GradeBook as GradeBook
    from peerage.grading.output.books import grade_book as grade_book
    from peerage.grading.output.export import gradebook as gradebook
    from peerage.grading.output.export import gradebook_of as gradebook_of
    from peerage.grading.output.files import table_bytes as table_bytes
    from peerage.grading.output.files import write_json as write_json
    from peerage.grading.output.files import write_parquet as write_parquet
    from peerage.grading.output.files import write_table as write_table
    from peerage.grading.output.results_json import record as record

__getattr__, __dir__ = lazy(
    __name__,
    {
        "BOOKS": "books",
        "BookOptions": "books",
        "GradeAs": "books",
        "GradeBook": "books",
        "grade_book": "books",
        "gradebook": "export",
        "gradebook_of": "export",
        "record": "results_json",
        "table_bytes": "files",
        "write_json": "files",
        "write_parquet": "files",
        "write_table": "files",
    },
)

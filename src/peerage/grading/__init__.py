"""From scores to grades an instructor can defend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peerage._faces import lazy

if TYPE_CHECKING:
    from peerage.grading.comparison import Comparison as Comparison
    from peerage.grading.comparison import compare_methods as compare_methods
    from peerage.grading.comparison import wanted as wanted
    from peerage.grading.explanation import explain as explain
    from peerage.grading.fitting import fit_method as fit_method
    from peerage.grading.handed_out import HandedOut as HandedOut
    from peerage.grading.letters import parse_letters as parse_letters
    from peerage.grading.options import GradingOptions as GradingOptions
    from peerage.grading.options import OwnWork as OwnWork
    from peerage.grading.output import BOOKS as BOOKS
    from peerage.grading.output import BookOptions as BookOptions
    from peerage.grading.output import GradeAs as GradeAs
    from peerage.grading.output import GradeBook as GradeBook
    from peerage.grading.output import grade_book as grade_book
    from peerage.grading.output import gradebook as gradebook
    from peerage.grading.output import gradebook_of as gradebook_of
    from peerage.grading.output import record as record
    from peerage.grading.output import table_bytes as table_bytes
    from peerage.grading.output import write_json as write_json
    from peerage.grading.output import write_parquet as write_parquet
    from peerage.grading.output import write_table as write_table
    from peerage.grading.points import decimals as decimals
    from peerage.grading.points import parse_scale as parse_scale
    from peerage.grading.ranking import ranks as ranks
    from peerage.grading.ranking import reading_order as reading_order
    from peerage.grading.result import GradingResult as GradingResult
    from peerage.grading.result import MethodUsed as MethodUsed
    from peerage.grading.run import grade as grade
    from peerage.grading.run import grade_with as grade_with
    from peerage.grading.staff import read_anchors as read_anchors

__getattr__, __dir__ = lazy(
    __name__,
    {
        "BOOKS": "output",
        "BookOptions": "output",
        "Comparison": "comparison",
        "GradeAs": "output",
        "GradeBook": "output",
        "GradingOptions": "options",
        "GradingResult": "result",
        "HandedOut": "handed_out",
        "MethodUsed": "result",
        "OwnWork": "options",
        "compare_methods": "comparison",
        "decimals": "points",
        "explain": "explanation",
        "fit_method": "fitting",
        "grade": "run",
        "grade_with": "run",
        "grade_book": "output",
        "gradebook": "output",
        "gradebook_of": "output",
        "parse_letters": "letters",
        "parse_scale": "points",
        "ranks": "ranking",
        "read_anchors": "staff",
        "reading_order": "ranking",
        "record": "output",
        "table_bytes": "output",
        "wanted": "comparison",
        "write_json": "output",
        "write_parquet": "output",
        "write_table": "output",
    },
)

"""What runs in a child: the library's work on a visitor's files. The library is loaded when it is needed."""

from peerage_web.sandbox.work.allocating import allocate_class, mend_class, read_allocation_file
from peerage_web.sandbox.work.archives import read_course_archive
from peerage_web.sandbox.work.example import write_example
from peerage_web.sandbox.work.explaining import explain_item
from peerage_web.sandbox.work.grading import grade_files
from peerage_web.sandbox.work.planning import allocate_reviews, list_methods, plan_workload
from peerage_web.sandbox.work.previewing import preview_files
from peerage_web.sandbox.work.questions import check_files, grade_at_once
from peerage_web.sandbox.work.rosters import read_roster_file
from peerage_web.sandbox.work.showing import make_shown

__all__ = [
    "allocate_class",
    "allocate_reviews",
    "check_files",
    "explain_item",
    "grade_at_once",
    "grade_files",
    "list_methods",
    "make_shown",
    "mend_class",
    "plan_workload",
    "preview_files",
    "read_allocation_file",
    "read_course_archive",
    "read_roster_file",
    "write_example",
]

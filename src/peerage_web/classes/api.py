"""Addresses of the API for classes; every one stands under a rule of the table (`api_access.opens`)."""

from __future__ import annotations

from peerage_web.classes.assignments import api as assignments
from peerage_web.classes.courses import api as courses
from peerage_web.classes.grading import api as grades
from peerage_web.classes.reviewing import api as rankings
from peerage_web.classes.roster import api as people

ROUTERS = (courses.router, people.router, assignments.router, rankings.router, grades.router)

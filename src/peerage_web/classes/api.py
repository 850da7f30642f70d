"""Addresses of the API for classes; every one stands under a rule of the table (`api_access.opens`)."""

from peerage_web.classes.assignments import api as assignments
from peerage_web.classes.courses import api as courses
from peerage_web.classes.grading import api as grades
from peerage_web.classes.reviewing import api as rankings
from peerage_web.classes.roster import api as people
from peerage_web.classes.rubrics import api as rubrics

ROUTERS = (courses.router, people.router, assignments.router, rubrics.router, rankings.router, grades.router)

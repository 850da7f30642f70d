"""Addresses of the API for classes; every one stands under a rule of the table (`access.opens`)."""

from peerage_web.classes.api import assignments, courses, grades, people, rankings

ROUTERS = (courses.router, people.router, assignments.router, rankings.router, grades.router)

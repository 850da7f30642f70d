"""The tabs of a course and of an assignment for staff, and the pages inside each: one table for all pages.

A tab leads to the first of its pages that the person may see; a tab without one is not shown.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.permissions import Action


class Link(NamedTuple):
    label: Any
    url_name: str
    action: Action
    within: tuple[
        str, ...
    ] = ()  # pages that are reached from this one: names of addresses, or their beginnings


class Tab(NamedTuple):
    """Pages that belong together."""

    label: Any
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class ShownLink:
    label: Any
    to: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class Navigation:
    """The tabs, and the pages inside the current one where it has several."""

    tabs: list[ShownLink]
    pages: list[ShownLink]


OVERVIEW = Tab(
    _("Overview"), (Link(_("Overview"), "assignment", Action.SEE_ASSIGNMENT, ("assignment-as-student",)),)
)
STUDENTS = Tab(
    _("Students"),
    (
        Link(_("Progress"), "progress", Action.SEE_PROGRESS, ("remind",)),
        Link(_("Teams"), "assignment-teams", Action.EDIT_TEAMS),
    ),
)
SUBMISSIONS = Tab(
    _("Submissions"),
    (Link(_("Submissions"), "submissions", Action.SEE_SUBMISSIONS, ("submissions-", "submission-")),),
)
REVIEWS = Tab(
    _("Reviews"),
    (
        Link(
            _("Allocation"), "allocation", Action.SEE_ALLOCATION, ("allocation-import", "allocation-commit")
        ),
        Link(_("Who reviews whom"), "allocation-matrix", Action.SEE_ALLOCATION, ("rank-for",)),
        Link(_("Missing reviewers"), "allocation-repair", Action.REPAIR_ALLOCATION),
        Link(_("Reports"), "allocation-reports", Action.EXCLUDE_SUBMISSION),
        Link(_("Comments"), "feedback", Action.HIDE_COMMENT, ("comment-", "reply-")),
        Link(_("Reviewers"), "release-reviewers", Action.SEE_RELEASE),
    ),
)
GRADES = Tab(
    _("Grades"),
    (
        Link(
            _("Grading"), "grading", Action.SEE_GRADES, ("grading-run", "grading-compare", "grading-override")
        ),
        Link(
            _("Staff reviews"),
            "grading-staff-reviews",
            Action.GRADE_AS_STAFF,
            ("grading-ranking",),
        ),
        Link(_("Release"), "release", Action.SEE_RELEASE, ("release-now", "release-as")),
        Link(_("Appeals"), "appeals", Action.SEE_APPEALS, ("appeals-", "appeal-")),
        Link(_("Exports"), "exports", Action.EXPORT_GRADES, ("export-",)),
    ),
)
SETTINGS = Tab(
    _("Settings"),
    (
        Link(_("Assignment"), "assignment-edit", Action.EDIT_ASSIGNMENT),
        Link(_("Dates and extensions"), "assignment-dates", Action.EDIT_DATES),
        Link(_("Rubric"), "rubric", Action.EDIT_RUBRIC, ("rubric-",)),
        Link(_("Grading settings"), "grading-plan", Action.EDIT_GRADING),
        Link(
            _("Practice round"),
            "practice-examples",
            Action.EDIT_PRACTICE,
            ("practice-example", "practice-remove"),
        ),
        Link(_("Survey"), "survey-questions", Action.EDIT_SURVEY, ("survey-",)),
    ),
)
ASSIGNMENT_TABS = (OVERVIEW, STUDENTS, SUBMISSIONS, REVIEWS, GRADES, SETTINGS)
COURSE_TABS = (
    Tab(_("Assignments"), (Link(_("Assignments"), "course", Action.SEE_COURSE, ("assignment-",)),)),
    Tab(
        _("Announcements"),
        (Link(_("Announcements"), "announcements", Action.SEE_ANNOUNCEMENTS, ("announcements-",)),),
    ),
    Tab(
        _("People"),
        (
            Link(
                _("People"),
                "people",
                Action.SEE_PEOPLE,
                ("member", "people-", "roster-", "student-", "staff-"),
            ),
        ),
    ),
    Tab(
        _("Settings"),
        (
            Link(_("Course"), "course-settings", Action.EDIT_COURSE, ("course-",)),
            Link(_("Learning platform"), "lti-course", Action.SEE_PLATFORM, ("lti-",)),
            Link(
                _("API tokens and webhooks"),
                "tokens-and-webhooks",
                Action.EDIT_TOKENS_AND_WEBHOOKS,
                ("token-", "webhook"),
            ),
        ),
    ),
    Tab(_("Activity log"), (Link(_("Activity log"), "activity-log", Action.SEE_ACTIVITY_LOG),)),
)


def navigation_of(here: Any, url_name: str) -> Navigation:
    """What stands above a page of staff; `here` is the scope of the request (`access.RequestScope`)."""
    keys = (here.course.key,) if here.at is None else (here.course.key, here.at.key)
    table = COURSE_TABS if here.at is None else ASSIGNMENT_TABS
    best = max((link for tab in table for link in tab.links), key=lambda link: _fit(link, url_name))
    current = best if _fit(best, url_name) else None
    tabs, pages = [], []
    for tab in table:
        links = [link for link in tab.links if _is_offered(link, here)]
        if not links:
            continue
        is_current = current in tab.links
        tabs.append(ShownLink(tab.label, reverse(links[0].url_name, args=keys), is_current))
        if is_current and len(links) > 1:
            pages = [
                ShownLink(link.label, reverse(link.url_name, args=keys), link == current) for link in links
            ]
    return Navigation(tabs, pages)


def _fit(link: Link, url_name: str) -> int:
    """How exactly a page belongs to a link: its own page first, then the longest beginning."""
    if url_name == link.url_name:
        return 1000
    return max((len(name) for name in link.within if url_name.startswith(name)), default=0)


def _is_offered(link: Link, here: Any) -> bool:
    if not here.may(link.action):
        return False
    if link.url_name == "assignment-teams":
        assert isinstance(here.at, Assignment)
        return here.at.in_teams
    if link.url_name == "lti-course":
        return bool(here.course.lti_contexts.exists())
    return True

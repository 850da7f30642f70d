"""The list of one's courses, a course, its settings and its record."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.classes.forms.courses import CourseForm, CourseSettingsForm
from peerage_web.classes.queries import keeping, overview, visible
from peerage_web.classes.queries.release.glance import glances, most_urgent
from peerage_web.classes.queries.release.student_overview import student_overview
from peerage_web.classes.rules import Action
from peerage_web.classes.services.courses import change_course, create_course, zones
from peerage_web.classes.services.keeping import announced
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page

PER_PAGE = 50


@allowed(Action.SEE_COURSES)
def courses(request: HttpRequest, here: Here) -> HttpResponse:
    """The list."""
    return page(request, here, "courses", memberships=visible.memberships_of(here.person))


@allowed(Action.CREATE_COURSE, "GET", "POST")
def new_course(request: HttpRequest, here: Here) -> HttpResponse:
    """Create a course."""
    if not here.person.may_create_courses:
        raise PermissionDenied
    form = CourseForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        return redirect(create_course(by=here.person, **form.cleaned_data))
    status = 422 if form.errors else 200
    return page(request, here, "course_new", status, form=form, zones=zones())


@allowed(Action.SEE_COURSE)
def course(request: HttpRequest, here: Here) -> HttpResponse:
    """Its assignments, and for staff what is to be done."""
    listed, now = overview.assignments_with_dates(here.member), timezone.now()
    context: dict[str, Any] = {"assignments": listed}
    if here.may(Action.SEE_PEOPLE):
        context["counts"] = overview.people_by_role(here.course)
        context["with_grades"] = here.may(Action.SEE_GRADES)
        shown = most_urgent([one["assignment"] for one in listed])
        context["glances"] = glances(shown, now, with_grades=context["with_grades"])
    else:
        context["overview"] = student_overview(here.member, listed, now)
    if here.may(Action.EDIT_COURSE):
        context |= {"deletion": announced(here.course), "room": keeping.room_of(here.course)}
    return page(request, here, "course", **context)


@allowed(Action.EDIT_COURSE, "GET", "POST")
def settings(request: HttpRequest, here: Here) -> HttpResponse:
    """Name, term, time zone, language, how long it is kept; and how much room its files take."""
    fields = ("name", "term", "time_zone", "language", "keep_months")
    initial = {name: getattr(here.course, name) for name in fields}
    form = CourseSettingsForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        change_course(course=here.course, by=here.person, **form.cleaned_data)
        messages.success(request, _("Saved."))
        return redirect("course-settings", here.course.key)
    status = 422 if form.errors else 200
    context = {"form": form, "zones": zones(), "room": keeping.room_of(here.course)}
    context |= {"kept_until": keeping.kept_until(here.course), "deletion": announced(here.course)}
    return page(request, here, "course_settings", status, **context)


@allowed(Action.SEE_RECORD)
def record(request: HttpRequest, here: Here) -> HttpResponse:
    """Who did what."""
    events = Paginator(visible.events_for(here.member), PER_PAGE).get_page(request.GET.get("page"))
    return page(request, here, "record", events=events)

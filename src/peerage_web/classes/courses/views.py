"""The list of courses, a course, its settings and its activity log."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from peerage_web.classes import visibility
from peerage_web.classes.access import allowed, page
from peerage_web.classes.announcements.services import announcements_shown
from peerage_web.classes.assignments import queries as overview
from peerage_web.classes.assignments.services import copy_course, first_due_in_future
from peerage_web.classes.courses.services import change_course, create_course, hide_course, zones
from peerage_web.classes.fields import MomentField
from peerage_web.classes.permissions import Action
from peerage_web.classes.release.overviews import assignment_summaries, most_urgent, student_overview
from peerage_web.classes.retention import queries as keeping
from peerage_web.classes.retention.services import announced, cancel_deletion, request_deletion
from peerage_web.classes.roster.views import RosterForm
from peerage_web.classes.scope import RequestScope


class CourseForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("Course name"), max_length=200)
    term = forms.CharField(label=gettext_lazy("Term"), max_length=60, required=False)
    time_zone = forms.CharField(
        label=gettext_lazy("Time zone"),
        max_length=60,
        initial="UTC",
        widget=forms.TextInput(attrs={"list": "zones", "autocomplete": "off"}),
        help_text=gettext_lazy("Dates and deadlines are in this time zone, for example Europe/Berlin."),
    )
    language = forms.ChoiceField(
        label=gettext_lazy("E-mail language"),
        required=False,
        choices=settings.LANGUAGES,
        help_text=gettext_lazy("Used for people who have not chosen a language."),
    )

    def clean_time_zone(self) -> str:
        name: str = self.cleaned_data["time_zone"].strip()
        if name not in zones():
            raise ValidationError(
                gettext_lazy("This is not a time zone. Use a name such as Europe/Berlin or Asia/Tokyo.")
            )
        return name


class CourseSettingsForm(CourseForm):
    keep_months = forms.TypedChoiceField(
        label=gettext_lazy("Retention period"),
        coerce=int,
        choices=[
            (0, gettext_lazy("Indefinitely")),
            (6, gettext_lazy("6 months after its last date")),
            (12, gettext_lazy("12 months after its last date")),
            (24, gettext_lazy("2 years after its last date")),
            (36, gettext_lazy("3 years after its last date")),
            (60, gettext_lazy("5 years after its last date")),
            (120, gettext_lazy("10 years after its last date")),
        ],
        help_text=gettext_lazy(
            "After that, everything in the course is permanently deleted: submissions, rankings, "
            "comments, grades and the activity log. Accounts of students who are in no other "
            "course are deleted, too. Instructors are notified by e-mail 30 days before, or at "
            "least 14 days if you shorten the period."
        ),
    )


# -- The list of one's courses, a course, its settings and its activity log ----------------------------------


PER_PAGE = 50
ANNOUNCEMENTS = 3  # on the page of a course


@allowed(Action.SEE_COURSES)
def courses(request: HttpRequest, here: RequestScope) -> HttpResponse:
    memberships = list(visibility.memberships_of(here.person))
    hidden = [membership for membership in memberships if membership.course.hidden_at is not None]
    shown = [membership for membership in memberships if membership.course.hidden_at is None]
    context: dict[str, Any] = {"memberships": shown, "hidden": hidden}
    if not memberships and here.person.may_create_courses:
        context |= {"form": CourseForm(), "zones": zones()}
    return page(request, here, "courses/courses", **context)


@allowed(Action.CREATE_COURSE, "GET", "POST")
def new_course(request: HttpRequest, here: RequestScope) -> HttpResponse:
    if not here.person.may_create_courses:
        raise PermissionDenied
    form = CourseForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        return redirect(create_course(by=here.person, **form.cleaned_data))
    status = 422 if form.errors else 200
    return page(request, here, "courses/new", status, form=form, zones=zones())


@allowed(Action.SEE_COURSE)
def course(request: HttpRequest, here: RequestScope) -> HttpResponse:
    listed, now = overview.assignments_with_dates(here.member), timezone.now()
    context: dict[str, Any] = {
        "assignments": listed,
        "announcements": announcements_shown(here.member)[:ANNOUNCEMENTS],
    }
    if here.may(Action.SEE_PEOPLE):
        context["counts"] = overview.people_by_role(here.course)
        context["roster_form"] = RosterForm()
        context["with_grades"] = here.may(Action.SEE_GRADES)
        shown = most_urgent([row["assignment"] for row in listed])
        context["glances"] = assignment_summaries(shown, now, with_grades=context["with_grades"])
    else:
        context["overview"] = student_overview(here.member, listed, now)
    if here.may(Action.EDIT_COURSE):
        context |= {"deletion": announced(here.course), "room": keeping.disk_usage_of(here.course)}
    return page(request, here, "courses/course", **context)


@allowed(Action.EDIT_COURSE, "GET", "POST")
def course_settings(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Name, term, time zone, language, how long it is kept; and how much room its files take."""
    fields = ("name", "term", "time_zone", "language", "keep_months")
    initial = {name: getattr(here.course, name) for name in fields}
    form = CourseSettingsForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        change_course(course=here.course, by=here.person, **form.cleaned_data)
        messages.success(request, _("Saved."))
        return redirect("course-settings", here.course.key)
    status = 422 if form.errors else 200
    context = {"form": form, "zones": zones(), "room": keeping.disk_usage_of(here.course)}
    context |= {"kept_until": keeping.kept_until(here.course), "deletion": announced(here.course)}
    return page(request, here, "courses/settings", status, **context)


@allowed(Action.EDIT_COURSE, "POST")
def hide(request: HttpRequest, here: RequestScope) -> HttpResponse:
    hide_course(course=here.course, by=here.person, hidden=True)
    messages.success(request, _("The course is hidden from students."))
    return redirect("course-settings", here.course.key)


@allowed(Action.EDIT_COURSE, "POST")
def show(request: HttpRequest, here: RequestScope) -> HttpResponse:
    hide_course(course=here.course, by=here.person, hidden=False)
    messages.success(request, _("Students see the course."))
    return redirect(here.course)


@allowed(Action.EDIT_COURSE, "POST")
def delete(request: HttpRequest, here: RequestScope) -> HttpResponse:
    if "sure" not in request.POST:
        messages.error(request, _("Nothing was deleted. Tick the box to confirm."))
        return redirect("course-settings", here.course.key)
    request_deletion(course=here.course, by=here.person)
    messages.success(request, _("The course will be deleted. All instructors are notified by e-mail."))
    return redirect(here.course)


@allowed(Action.EDIT_COURSE, "POST")
def keep(request: HttpRequest, here: RequestScope) -> HttpResponse:
    cancel_deletion(course=here.course, by=here.person)
    messages.success(request, _("The course is kept."))
    return redirect(here.course)


class CopyForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("Course name"), max_length=200)
    term = forms.CharField(label=gettext_lazy("Term"), max_length=60, required=False)
    first_due = MomentField(
        label=gettext_lazy("First submission due date"),
        required=False,
        help_text=gettext_lazy("All other dates are shifted with it. Leave empty to copy no dates."),
    )


@allowed(Action.EDIT_COURSE, "GET", "POST")
def copy(request: HttpRequest, here: RequestScope) -> HttpResponse:
    if not here.person.may_create_courses:
        raise PermissionDenied
    initial = {"name": here.course.name, "first_due": first_due_in_future(here.course, timezone.now())}
    form = CopyForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        made = copy_course(course=here.course, by=here.person, **form.cleaned_data)
        messages.success(request, _("This is the copy. Check its dates, then import the roster."))
        return redirect(made)
    count = here.course.assignments.count()
    return page(request, here, "courses/copy", 422 if form.errors else 200, form=form, assignments=count)


@allowed(Action.SEE_ACTIVITY_LOG)
def activity_log(request: HttpRequest, here: RequestScope) -> HttpResponse:
    events = Paginator(visibility.events_for(here.member), PER_PAGE).get_page(request.GET.get("page"))
    return page(request, here, "activity_log/activity_log", events=events)

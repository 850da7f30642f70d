"""Pages of an assignment: overview, settings, wizard, dates and extensions, teams, and its steps."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.classes import permissions, visibility
from peerage_web.classes.access import allowed, page, plain
from peerage_web.classes.allocation.queries import has_reviews
from peerage_web.classes.announcements.services import announcements_shown
from peerage_web.classes.assignments import queries as overview
from peerage_web.classes.assignments import services
from peerage_web.classes.assignments import teams as team_services
from peerage_web.classes.assignments.forms import (
    ADVANCED,
    MEGABYTE,
    WIZARD,
    AssignmentForm,
    DatesForm,
    DuplicateForm,
    ExtensionForm,
    NewAssignmentForm,
)
from peerage_web.classes.assignments.models import Assignment, Extension
from peerage_web.classes.assignments.services import expected_error
from peerage_web.classes.enums import Phase, Role
from peerage_web.classes.grading.distribution import curve_preview
from peerage_web.classes.grading.forms import PointsRuleForm, rule_values
from peerage_web.classes.grading.models import GradingPlan, PointsRule
from peerage_web.classes.grading.queries import approved_run, last_run
from peerage_web.classes.grading.services import change_plan, start_run
from peerage_web.classes.markdown import to_html
from peerage_web.classes.names import by_name
from peerage_web.classes.permissions import Action, action_of_step, may
from peerage_web.classes.phases import queries as stepper
from peerage_web.classes.phases import readiness
from peerage_web.classes.phases.services import take_step
from peerage_web.classes.practice.services import practice_state
from peerage_web.classes.release.overviews import AssignmentSummary, assignment_summaries
from peerage_web.classes.release.views import own_grade
from peerage_web.classes.reviewing.queries import ranking_state
from peerage_web.classes.reviewing.self_reviews import self_review_sheet
from peerage_web.classes.rubrics.queries import criteria_of
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.submissions.views import own_submission
from peerage_web.classes.survey.queries import student_state
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import refusal_as_message, refusal_on


@allowed(Action.SEE_ASSIGNMENT)
def assignment(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Its first page: for staff where it stands, for students what is asked and until when."""
    if here.role == Role.STUDENT:
        return _student_page(request, here, overview.extension_of(here.assignment, here.member))
    context: dict[str, Any] = {
        "steps": stepper.steps(here.assignment),
        "next": stepper.next_step(here.assignment),
        "back": stepper.previous_step(here.assignment),
        "task": _task(here),
        "glance": _glance(here),
        "with_grades": permissions.may(Action.SEE_GRADES, here.role),
        "instructions": to_html(here.assignment.instructions),
    }
    return page(request, here, "assignments/assignment", **context)


@dataclass(frozen=True, slots=True)
class NextTask:
    """What staff have to do before the next phase can begin: one button."""

    why: str
    button: str
    to: str
    is_form: bool = False


def _task(here: RequestScope) -> NextTask | None:
    """Allocating before reviews begin, grading and approving before grades are released."""
    keys = (here.course.key, here.assignment.key)
    if here.may(Action.ALLOCATE) and not has_reviews(here.assignment):
        why = _("No reviews are allocated yet. Check the preview, then confirm it.")
        to = f"{reverse('allocation', args=keys)}?{_design(here.assignment)}"
        return NextTask(why, _("Preview the allocation"), to)
    if here.assignment.phase != Phase.CLOSED or not here.may(Action.GRADE):
        return None
    if approved_run(here.assignment) is not None:
        return None
    run = last_run(here.assignment)
    if run is None:
        why = _("The review phase is closed. Grade the class, then check and release the grades.")
        return NextTask(why, _("Grade the class now"), reverse("grading-start", args=keys), is_form=True)
    why = _("The class is graded. Check the grades, approve them, then release them to students.")
    return NextTask(why, _("Check the grades"), reverse("grading-run", args=(*keys, run.key)))


def _design(assignment: Assignment) -> str:
    names = ("design", "reviews_per_student", "reviews_per_staff", "anchors", "sections", "seed")
    return urlencode({"preview": "yes", **{name: getattr(assignment, name) for name in names}})


def _glance(here: RequestScope) -> AssignmentSummary | None:
    """The four answers; before an assignment is published there is nothing to answer."""
    shown = [here.assignment] if here.assignment.is_published else []
    summaries = assignment_summaries(
        shown, timezone.now(), with_grades=permissions.may(Action.SEE_GRADES, here.role)
    )
    return summaries[0] if summaries else None


@allowed(Action.VIEW_AS_STUDENT)
def as_student(request: HttpRequest, here: RequestScope) -> HttpResponse:
    return _student_page(request, here, None, as_student=True)


def _student_page(
    request: HttpRequest, here: RequestScope, extension: Any, as_student: bool = False
) -> HttpResponse:
    assignment = here.assignment
    context: dict[str, Any] = {
        "own_submission": None if as_student else own_submission(here),
        "own_grade": None if as_student else own_grade(here),
        "dates": overview.personal_dates(assignment, extension),
        "extension": extension,
        "instructions": to_html(assignment.instructions),
        "kinds": [Assignment.Kind(kind).label for kind in assignment.file_kinds],
        "prompts": assignment.prompts.filter(retired_at=None),
        # with the grade, students see what the levels mean
        "rubric": criteria_of(assignment) if assignment.phase != Phase.RELEASED else [],
        "as_student": as_student,
        "steps": stepper.steps(assignment),
        "announcements": [
            one for one in announcements_shown(here.member) if one.assignment_id == assignment.pk
        ],
        "practice": practice_state(assignment, here.member),
        "ranking": ranking_state(assignment, here.member),
        "own_review": None if as_student else self_review_sheet(assignment, here.member),
        "survey": student_state(assignment, here.member) if here.may(Action.ANSWER_SURVEY) else None,
    }
    return page(request, here, "assignments/student", **context)


@allowed(Action.CREATE_ASSIGNMENT, "GET", "POST")
def new(request: HttpRequest, here: RequestScope) -> HttpResponse:
    form = NewAssignmentForm(
        request.POST or None, initial=defaults(here.role), may_release=_may_release(here)
    )
    if request.method == "POST" and form.is_valid():
        with refusal_on(form):
            assignment = _make(here, form)
            if "publish" in request.POST:
                _publish(request, here, assignment)
            return redirect(assignment)
    students = overview.people_by_role(here.course)[Role.STUDENT]
    return page(request, here, "assignments/edit", 422 if form.errors else 200, form=form, students=students)


def _make(here: RequestScope, form: NewAssignmentForm) -> Assignment:
    with transaction.atomic():
        made = services.create_assignment(
            course=here.course, by=here.person, prompts=form.prompts, **form.answers
        )
        change_plan(assignment=made, by=here.person, **form.rule)
    return made


def _publish(request: HttpRequest, here: RequestScope, assignment: Assignment) -> None:
    """At once, where nothing is in the way; else its page says what is."""
    with refusal_as_message(request):
        take_step(assignment=assignment, code="publish", by=here.person)
        messages.success(request, _("The assignment is published. Students can submit."))


def _may_release(here: RequestScope) -> bool:
    """In any phase: the date is set long before there are grades."""
    return permissions.may(Action.RELEASE, here.role)


def defaults(role: Role | None) -> dict[str, Any]:
    """What the form of a new assignment starts with."""
    bare = Assignment()
    prompts = {f"prompt_{n}": text for n, text in enumerate(services.default_prompts(), start=1)}
    return {
        **_values(bare),
        **rule_values(GradingPlan()),
        **services.default_dates(timezone.localtime(), role),
        **prompts,
        "required_2": True,
    }


def _values(assignment: Assignment) -> dict[str, Any]:
    names = [name for name in AssignmentForm.base_fields if name != "most_megabytes"]
    return {name: getattr(assignment, name) for name in names} | {
        "most_megabytes": assignment.most_bytes // MEGABYTE
    }


@allowed(Action.EDIT_ASSIGNMENT, "GET", "POST")
def edit(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Change anything; what the allocation rests on only as long as there is none."""
    assignment = here.assignment
    prompts = enumerate(assignment.prompts.filter(retired_at=None), start=1)
    initial = _values(assignment)
    for number, prompt in prompts:
        initial |= {f"prompt_{number}": prompt.text, f"required_{number}": prompt.required}
    form = AssignmentForm(
        request.POST or None,
        initial=initial,
        design_open=here.may(Action.EDIT_DESIGN),
        may_release=_may_release(here),
    )
    if request.method == "POST" and form.is_valid():
        with refusal_on(form):
            services.change_assignment(
                assignment=assignment, by=here.person, prompts=form.prompts, **form.answers
            )
            messages.success(request, _("Saved."))
            return redirect(assignment)
    context: dict[str, Any] = {
        "form": form,
        "students": readiness.students_of(assignment).count(),
        "duplicate_form": DuplicateForm(initial={"title": assignment.title}, auto_id="duplicate_%s"),
    }
    return page(request, here, "assignments/edit", 422 if form.errors else 200, **context)


@allowed(Action.DUPLICATE_ASSIGNMENT, "POST")
def duplicate(request: HttpRequest, here: RequestScope) -> HttpResponse:
    form = DuplicateForm(request.POST)
    title = form.cleaned_data["title"] if form.is_valid() else here.assignment.title
    copy = services.duplicate_assignment(assignment=here.assignment, by=here.person, title=title)
    messages.success(request, _("Here is the copy. Set its dates, then publish it."))
    return redirect("assignment-edit", copy.course.key, copy.key)


@allowed(Action.DELETE_ASSIGNMENT, "POST")
def delete(request: HttpRequest, here: RequestScope) -> HttpResponse:
    try:
        services.delete_assignment(assignment=here.assignment, by=here.person)
    except Refused as error:
        messages.error(request, str(error))
        return redirect(here.assignment)
    messages.success(request, _("Deleted."))
    return redirect(here.course)


# -- The wizard: the form of an assignment, a few fields at a time. What is not shown travels along, hidden


@allowed(Action.CREATE_ASSIGNMENT, "GET", "POST")
def wizard(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """One step of it; without script, and nothing is kept before the last."""
    if request.method != "POST":
        form = NewAssignmentForm(initial=defaults(here.role), may_release=_may_release(here))
        return _step(request, here, form, 0)
    form = NewAssignmentForm(request.POST, may_release=_may_release(here))
    step = request.POST.get("step", "0")
    now = int(step) if step in {str(number) for number in range(len(WIZARD))} else 0
    form.is_valid()
    if "back" in request.POST:
        return _step(request, here, form, max(now - 1, 0))
    if _has_errors(form, now):
        return _step(request, here, form, now, shows_errors=True)
    if now + 1 < len(WIZARD):
        return _step(request, here, form, now + 1)
    return _create(request, here, form)


def _create(request: HttpRequest, here: RequestScope, form: NewAssignmentForm) -> HttpResponse:
    wrong = next((number for number in range(len(WIZARD)) if _has_errors(form, number)), None)
    if wrong is not None:
        return _step(request, here, form, wrong, shows_errors=True)
    try:
        made = _make(here, form)
    except Refused as error:
        form.add_error(None, str(error))
        return _step(request, here, form, 1, shows_errors=True)  # what can be refused are dates
    messages.success(request, _("Here is the assignment. Check what students will see, then publish it."))
    return redirect(made)


def _has_errors(form: AssignmentForm, number: int) -> bool:
    return any(name in form.errors for name in form.names_of_step(number))


def _step(
    request: HttpRequest, here: RequestScope, form: AssignmentForm, number: int, shows_errors: bool = False
) -> HttpResponse:
    shown = form.names_of_step(number)
    return page(
        request,
        here,
        "assignments/wizard",
        422 if shows_errors else 200,
        form=form,
        number=number,
        steps=[{"title": title, "past": place < number} for place, (title, _fields) in enumerate(WIZARD)],
        title=WIZARD[number][0],
        shown=[form[name] for name in shown if name not in ADVANCED],
        advanced=[form[name] for name in shown if name in ADVANCED],
        opens_advanced=shows_errors and form.opens_advanced,
        hidden=[
            (name, value) for name in form.fields if name not in shown for value in _wizard_values(form, name)
        ],
        shows_errors=shows_errors,
        is_last=number + 1 == len(WIZARD),
    )


def _wizard_values(form: AssignmentForm, name: str) -> list[str]:
    """What a hidden field holds, as the form reads it again; several ticks are several fields."""
    value = form[name].value()
    if isinstance(value, datetime):
        return [value.strftime("%Y-%m-%dT%H:%M")]
    if isinstance(value, list | tuple):
        return [str(ticked) for ticked in value]
    return ["" if value is None else str(value)]


# -- What accuracy to expect of a number of reviews, beside the field in which it is chosen ------------


@allowed(Action.CREATE_ASSIGNMENT)
def expected(request: HttpRequest, here: RequestScope) -> HttpResponse:
    text = request.GET.get("reviews_per_student", "")
    reviews = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0
    error = expected_error(
        course=here.course, by=here.person, reviews=reviews, in_teams="in_teams" in request.GET
    )
    return page(request, here, "assignments/_expected", expected=error)


USUAL_CLASS = 30  # students, as long as nobody is on the roster


@allowed(Action.CREATE_ASSIGNMENT)
def curve(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """What a curve would give this class, drawn where it is chosen: a fragment of the form."""
    form = PointsRuleForm(request.GET)
    students = overview.people_by_role(here.course)[Role.STUDENT] or USUAL_CLASS
    is_curve = form.is_valid() and form.cleaned_data["points_rule"] == PointsRule.CURVE
    spread = curve_preview(form.plan(form.cleaned_data), students) if is_curve else None
    return page(request, here, "grading/_curve_preview", form=form, spread=spread, students=students)


# -- Dates of an assignment, extensions, and the activity log of both ----------------------------------------


@allowed(Action.EDIT_DATES, "GET", "POST")
def dates(request: HttpRequest, here: RequestScope) -> HttpResponse:
    initial = {name: getattr(here.assignment, name) for name in DatesForm.names}
    form = DatesForm(request.POST or None, initial=initial, may_release=_may_release(here))
    if request.method == "POST" and form.is_valid():
        with refusal_on(form):
            services.change_assignment(assignment=here.assignment, by=here.person, **form.cleaned_data)
            messages.success(request, _("Saved."))
            return redirect("assignment-dates", here.course.key, here.assignment.key)
    return _page(request, here, form=form)


@allowed(Action.EDIT_DATES, "POST")
def grant_extension(request: HttpRequest, here: RequestScope) -> HttpResponse:
    form = ExtensionForm(request.POST)
    if form.is_valid():
        values = dict(form.cleaned_data)
        member = visibility.people_for(here.member).filter(pk=values.pop("member")).first()
        with refusal_on(form):
            if member is None:
                raise Refused(_("Only students in this course can get an extension."))
            services.grant_extension(assignment=here.assignment, member=member, by=here.person, **values)
            messages.success(request, _("%(name)s now has an extension.") % {"name": member.shown_name})
            return redirect("assignment-dates", here.course.key, here.assignment.key)
    return _page(request, here, extension_form=form)


@allowed(Action.EDIT_DATES, "POST")
def remove_extension(request: HttpRequest, here: RequestScope) -> HttpResponse:
    extension: Extension = here.objects["extension"]
    services.remove_extension(extension=extension, by=here.person)
    messages.success(request, _("The extension was removed."))
    return redirect("assignment-dates", here.course.key, here.assignment.key)


def _page(
    request: HttpRequest,
    here: RequestScope,
    form: DatesForm | None = None,
    extension_form: ExtensionForm | None = None,
) -> HttpResponse:
    initial = {name: getattr(here.assignment, name) for name in DatesForm.names}
    form = form or DatesForm(initial=initial, may_release=_may_release(here))
    extension_form = extension_form or ExtensionForm()
    extensions = visibility.extensions_for(here.member).filter(assignment=here.assignment)
    return page(
        request,
        here,
        "assignments/dates",
        422 if form.errors or extension_form.errors else 200,
        form=form,
        extension_form=extension_form,
        students=_students(here),
        extensions=extensions.select_related("membership__person", "granted_by"),
        events=services.date_changes(assignment=here.assignment)[:100],
    )


def _students(here: RequestScope) -> list[tuple[str, str]]:
    """Number and name of each; as text, for comparing with what the form holds."""
    students = by_name(readiness.students_of(here.assignment).select_related("person"))
    return [(str(member.pk), member.shown_name) for member in students]


# -- Teams of one assignment ---------------------------------------------------------------------------


_NUMBER = re.compile(r"[0-9]{1,18}")
PER_PAGE = 100  # students, each with a field: a form has room for 200


@allowed(Action.EDIT_TEAMS, "GET", "POST")
def teams(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Who is in which team: one field per student. What the form does not show stays as it is."""
    students = readiness.students_of(here.assignment).select_related("person")
    shown = Paginator(by_name(students), PER_PAGE).get_page(request.GET.get("page"))
    teams = team_services.teams_of(assignment=here.assignment)
    refused = ""
    if request.method == "POST":
        teams = _given(request, here, teams)
        try:
            team_services.set_teams(assignment=here.assignment, teams=teams, by=here.person)
        except Refused as error:
            refused = str(error)
        else:
            messages.success(request, _("Saved."))
            return redirect(request.get_full_path())
    return page(
        request,
        here,
        "assignments/teams",
        422 if refused else 200,
        shown=shown,
        rows=[{"member": member, "team": teams.get(member.pk, "")} for member in shown],
        names=sorted({name for name in teams.values() if name}),
        refused=refused,
    )


def _given(request: HttpRequest, here: RequestScope, before: dict[int, str]) -> dict[int, str]:
    if "from-groups" in request.POST:
        return team_services.teams_of_groups(assignment=here.assignment)
    numbers = ((name.removeprefix("team-"), name) for name in request.POST if name.startswith("team-"))
    typed = {int(number): plain(request.POST[name]) for number, name in numbers if _NUMBER.fullmatch(number)}
    return {**before, **typed}


# -- Moving an assignment on or back -------------------------------------------------------------------


@allowed(Action.MOVE_PHASE, "POST")
def step(request: HttpRequest, here: RequestScope) -> HttpResponse:
    code = request.POST.get("step", "")
    if not may(action_of_step(code), here.role):
        raise PermissionDenied
    try:
        take_step(assignment=here.assignment, code=code, by=here.person)
    except Refused as error:
        messages.error(request, str(error))
        return redirect(here.assignment)
    now = Phase(here.assignment.phase).label
    messages.success(request, _("The assignment is now in the phase “%(phase)s”.") % {"phase": now})
    return _go_on(request, here, code)


def _go_on(request: HttpRequest, here: RequestScope, code: str) -> HttpResponse:
    """To what comes next: after submissions the preview of an allocation, after reviews the first grades."""
    if code == "close" and here.may(Action.GRADE):
        try:
            run = start_run(assignment=here.assignment, by=here.person)
        except Refused as error:
            messages.info(request, str(error))
        else:
            return redirect("grading-run", here.course.key, here.assignment.key, run.key)
    task = _task(here) if code == "stop-submitting" else None
    return redirect(task.to) if task is not None else redirect(here.assignment)

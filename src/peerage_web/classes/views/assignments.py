"""An assignment: its page, as staff and as a student see it; creating, changing, duplicating, deleting it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.classes import rules
from peerage_web.classes.forms.assignments import MEGABYTE, AssignmentForm, DuplicateForm
from peerage_web.classes.markdown import to_html
from peerage_web.classes.models import Assignment
from peerage_web.classes.queries import overview, readiness, stepper
from peerage_web.classes.queries.appeals.lists import open_appeals
from peerage_web.classes.queries.matrix import open_reports
from peerage_web.classes.queries.rankings import ranking_state
from peerage_web.classes.queries.release.glance import Glance, glances
from peerage_web.classes.queries.survey.state import student_state
from peerage_web.classes.rules import Action
from peerage_web.classes.services import assignments as services
from peerage_web.classes.services.practice import practice_state
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page
from peerage_web.classes.views.release.grade import own_grade
from peerage_web.classes.views.works import own_work
from peerage_web.classes.words import Role
from peerage_web.shared.errors import Refused


@allowed(Action.SEE_ASSIGNMENT)
def assignment(request: HttpRequest, here: Here) -> HttpResponse:
    """Its first page: for staff where it stands, for students what is asked and until when."""
    if here.role == Role.STUDENT:
        return _student_page(request, here, overview.extension_of(here.assignment, here.member))
    context: dict[str, Any] = {
        "steps": stepper.steps(here.assignment),
        "next": stepper.next_step(here.assignment),
        "back": stepper.previous_step(here.assignment),
        "figures": stepper.figures(here.assignment),
        "open_reports": open_reports(here.assignment),
        "open_appeals": open_appeals(here.assignment),
        "glance": _glance(here),
        "with_grades": rules.may(Action.SEE_GRADES, here.role),
        "instructions": to_html(here.assignment.instructions),
        "duplicate_form": DuplicateForm(initial={"title": here.assignment.title}),
    }
    return page(request, here, "assignment", **context)


def _glance(here: Here) -> Glance | None:
    """The four answers; before an assignment is published there is nothing to answer."""
    shown = [here.assignment] if here.assignment.is_published else []
    found = glances(shown, timezone.now(), with_grades=rules.may(Action.SEE_GRADES, here.role))
    return found[0] if found else None


@allowed(Action.VIEW_AS_STUDENT)
def as_student(request: HttpRequest, here: Here) -> HttpResponse:
    """What a student without an extension sees."""
    return _student_page(request, here, None, as_student=True)


def _student_page(request: HttpRequest, here: Here, extension: Any, as_student: bool = False) -> HttpResponse:
    one = here.assignment
    context: dict[str, Any] = {
        "own_work": None if as_student else own_work(here),
        "own_grade": None if as_student else own_grade(here),
        "dates": overview.personal_dates(one, extension),
        "extension": extension,
        "instructions": to_html(one.instructions),
        "kinds": [Assignment.Kind(kind).label for kind in one.file_kinds],
        "prompts": one.prompts.filter(retired_at=None),
        "as_student": as_student,
        "steps": stepper.steps(one),
        "practice": practice_state(one, here.member),
        "ranking": ranking_state(one, here.member),
        "survey": student_state(one, here.member) if here.may(Action.ANSWER_SURVEY) else None,
    }
    return page(request, here, "assignment_student", **context)


@allowed(Action.CREATE_ASSIGNMENT, "GET", "POST")
def new(request: HttpRequest, here: Here) -> HttpResponse:
    """Create an assignment: one page of sensible defaults."""
    form = AssignmentForm(request.POST or None, initial=defaults())
    if request.method == "POST" and form.is_valid():
        try:
            made = services.create_assignment(
                course=here.course, by=here.person, prompts=form.prompts, **form.answers
            )
        except Refused as error:
            form.add_error(None, str(error))
        else:
            return redirect(made)
    students = overview.people_by_role(here.course)[Role.STUDENT]
    return page(request, here, "assignment_edit", 422 if form.errors else 200, form=form, students=students)


def defaults() -> dict[str, Any]:
    """What the form of a new assignment starts with."""
    bare = Assignment()
    prompts = {f"prompt_{n}": text for n, text in enumerate(services.default_prompts(), start=1)}
    return {**_values(bare), **services.default_dates(timezone.localtime()), **prompts, "required_2": True}


def _values(one: Assignment) -> dict[str, Any]:
    names = [name for name in AssignmentForm.base_fields if name != "most_megabytes"]
    return {name: getattr(one, name) for name in names} | {"most_megabytes": one.most_bytes // MEGABYTE}


@allowed(Action.EDIT_ASSIGNMENT, "GET", "POST")
def edit(request: HttpRequest, here: Here) -> HttpResponse:
    """Change anything; what the allocation rests on only as long as there is none."""
    one = here.assignment
    prompts = enumerate(one.prompts.filter(retired_at=None), start=1)
    initial = _values(one)
    for number, prompt in prompts:
        initial |= {f"prompt_{number}": prompt.text, f"required_{number}": prompt.required}
    form = AssignmentForm(request.POST or None, initial=initial, design_open=here.may(Action.EDIT_DESIGN))
    if request.method == "POST" and form.is_valid():
        try:
            services.change_assignment(assignment=one, by=here.person, prompts=form.prompts, **form.answers)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Saved."))
            return redirect(one)
    students = readiness.students_of(one).count()
    return page(request, here, "assignment_edit", 422 if form.errors else 200, form=form, students=students)


@allowed(Action.DUPLICATE_ASSIGNMENT, "POST")
def duplicate(request: HttpRequest, here: Here) -> HttpResponse:
    """The same exercise once more."""
    form = DuplicateForm(request.POST)
    title = form.cleaned_data["title"] if form.is_valid() else here.assignment.title
    copy = services.duplicate_assignment(assignment=here.assignment, by=here.person, title=title)
    messages.success(request, _("This is the copy. Give it its dates, then publish it."))
    return redirect("assignment-edit", copy.course.key, copy.key)


@allowed(Action.DELETE_ASSIGNMENT, "POST")
def delete(request: HttpRequest, here: Here) -> HttpResponse:
    """Only in set-up."""
    try:
        services.delete_assignment(assignment=here.assignment, by=here.person)
    except Refused as error:
        messages.error(request, str(error))
        return redirect(here.assignment)
    messages.success(request, _("Deleted."))
    return redirect(here.course)

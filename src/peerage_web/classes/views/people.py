"""Who is in a course: the list, adding and inviting people, their roles."""

from __future__ import annotations

from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from peerage_web.accounts.models import ELSEWHERE
from peerage_web.classes.forms.people import MemberForm, RoleForm, StaffForm, StudentForm
from peerage_web.classes.models import Membership
from peerage_web.classes.queries import overview, visible
from peerage_web.classes.rules import Action
from peerage_web.classes.services import people as services
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page, plain
from peerage_web.classes.words import Role
from peerage_web.shared.errors import Refused

PER_PAGE = 100


@allowed(Action.SEE_PEOPLE)
def people(request: HttpRequest, here: Here) -> HttpResponse:
    """The list, by role, section or name."""
    return _people(request, here)


def _people(
    request: HttpRequest,
    here: Here,
    student_form: StudentForm | None = None,
    staff_form: StaffForm | None = None,
    status: int = 200,
) -> HttpResponse:
    chosen = {name: plain(request.GET.get(name, "")) for name in ("role", "section", "search")}
    listed = visible.people_for(here.member)
    if chosen["role"] in Role.values:
        listed = listed.filter(role=chosen["role"])
    else:
        listed = listed.exclude(role=Role.DROPPED)
    if chosen["section"]:
        listed = listed.filter(section=chosen["section"])
    if chosen["search"]:
        text = chosen["search"]
        listed = listed.filter(
            Q(name__icontains=text) | Q(person__email__icontains=text) | Q(student_id__icontains=text)
        )
    return page(
        request,
        here,
        "people",
        status,
        people=Paginator(listed, PER_PAGE).get_page(request.GET.get("page")),
        chosen=chosen,
        chosen_query=urlencode({name: value for name, value in chosen.items() if value}),
        roles=Role.choices,
        sections=overview.sections_of(here.course),
        counts=overview.people_by_role(here.course),
        uninvited=_uninvited(here).count(),
        student_form=student_form or StudentForm(),
        staff_form=staff_form or StaffForm(),
    )


@allowed(Action.EDIT_STUDENTS, "POST")
def add_student(request: HttpRequest, here: Here) -> HttpResponse:
    """Add one student."""
    form = StudentForm(request.POST)
    if form.is_valid():
        try:
            services.add_member(course=here.course, by=here.person, role=Role.STUDENT, **form.cleaned_data)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Added: %(name)s") % {"name": form.cleaned_data["name"]})
            return redirect("people", here.course.key)
    return _people(request, here, student_form=form, status=422)


@allowed(Action.EDIT_STAFF, "POST")
def add_staff(request: HttpRequest, here: Here) -> HttpResponse:
    """Invite somebody who is to help."""
    form = StaffForm(request.POST)
    if form.is_valid():
        given = {**form.cleaned_data, "role": Role(form.cleaned_data["role"])}
        try:
            member = services.add_member(course=here.course, by=here.person, **given)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            services.invite(members=[member], by=here.person)
            messages.success(request, _("Invited: %(email)s") % {"email": given["email"]})
            return redirect("people", here.course.key)
    return _people(request, here, staff_form=form, status=422)


@allowed(Action.EDIT_STUDENTS, "GET", "POST")
def member(request: HttpRequest, here: Here) -> HttpResponse:
    """One person: name, number, section, group."""
    one = _editable(here)
    fields = ("name", "student_id", "section", "group")
    form = MemberForm(request.POST or None, initial={name: getattr(one, name) for name in fields})
    if request.method == "POST" and form.is_valid():
        try:
            services.change_member(member=one, by=here.person, **form.cleaned_data)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Saved."))
            return redirect("people", here.course.key)
    role_form = RoleForm(initial={"role": one.role})
    status = 422 if form.errors else 200
    return page(request, here, "member", status, form=form, member=one, role_form=role_form)


@allowed(Action.EDIT_STAFF, "POST")
def change_role(request: HttpRequest, here: Here) -> HttpResponse:
    """Give somebody another role; it holds at once."""
    one: Membership = here.objects["member"]
    form = RoleForm(request.POST)
    if form.is_valid():
        try:
            services.change_role(member=one, by=here.person, role=Role(form.cleaned_data["role"]))
            messages.success(request, _("Saved."))
        except Refused as error:
            messages.error(request, str(error))
    if one.pk == here.member.pk:
        return redirect("course", here.course.key)  # it may have been the last look at the list
    return redirect("people", here.course.key)


@allowed(Action.EDIT_STUDENTS, "POST")
def drop(request: HttpRequest, here: Here) -> HttpResponse:
    """Drop a student."""
    one = _editable(here)
    try:
        services.drop_member(member=one, by=here.person)
        messages.success(request, _("Dropped: %(name)s") % {"name": one.shown_name})
    except Refused as error:
        messages.error(request, str(error))
    return redirect("people", here.course.key)


@allowed(Action.INVITE_STUDENTS, "POST")
def invite_all(request: HttpRequest, here: Here) -> HttpResponse:
    """Invite every student who was not invited yet."""
    count = services.invite(members=_uninvited(here), by=here.person)
    text = ngettext("%(count)d invitation is on its way.", "%(count)d invitations are on their way.", count)
    messages.success(request, text % {"count": count})
    return redirect("people", here.course.key)


@allowed(Action.INVITE_STUDENTS, "POST")
def invite(request: HttpRequest, here: Here) -> HttpResponse:
    """Invite one person, once more if need be."""
    one = _editable(here)
    services.invite(members=[one], by=here.person)
    messages.success(request, _("An invitation is on its way to %(name)s.") % {"name": one.shown_name})
    return redirect("people", here.course.key)


def _editable(here: Here) -> Membership:
    """The person of the address; who is staff can be changed by those only who decide about staff."""
    one: Membership = here.objects["member"]
    if services.is_staff_role(one.role) and not here.may(Action.EDIT_STAFF):
        raise PermissionDenied
    return one


def _uninvited(here: Here):  # type: ignore[no-untyped-def]
    students = visible.people_for(here.member).filter(role=Role.STUDENT, invited_at=None)
    students = students.exclude(person__email__endswith=ELSEWHERE)  # their learning platform is the way in
    return students.select_related("course", "person")

"""People of a course: the list, roles, invitations, and importing a roster."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from peerage_web.accounts.models import ELSEWHERE
from peerage_web.accounts.services.mail import has_mail_server
from peerage_web.classes import visibility
from peerage_web.classes.access import allowed, page, plain
from peerage_web.classes.assignments import queries as overview
from peerage_web.classes.courses.models import Membership, RosterImport
from peerage_web.classes.enums import Role
from peerage_web.classes.names import by_name
from peerage_web.classes.permissions import Action
from peerage_web.classes.roster import imports, services
from peerage_web.classes.roster.imports import changes_of
from peerage_web.classes.scope import RequestScope
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import mark_refusal, refusal_as_message, refusal_on


class StudentForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=200)
    email = forms.EmailField(label=gettext_lazy("E-mail address"), max_length=254)
    student_id = forms.CharField(label=gettext_lazy("Student number"), max_length=100, required=False)
    section = forms.CharField(label=gettext_lazy("Section"), max_length=100, required=False)


class MemberForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name"), max_length=200, required=False)
    student_id = forms.CharField(label=gettext_lazy("Student number"), max_length=100, required=False)
    section = forms.CharField(label=gettext_lazy("Section"), max_length=100, required=False)
    group = forms.CharField(
        label=gettext_lazy("Group"),
        max_length=100,
        required=False,
        help_text=gettext_lazy("New assignments use it as the starting point for teams."),
    )


STAFF_ROLES = [(role.value, role.label) for role in (Role.ASSISTANT, Role.INSTRUCTOR, Role.OBSERVER)]


class StaffForm(forms.Form):
    email = forms.EmailField(label=gettext_lazy("E-mail address"), max_length=254)
    name = forms.CharField(label=gettext_lazy("Name"), max_length=200, required=False)
    role = forms.ChoiceField(
        label=gettext_lazy("Role"),
        choices=STAFF_ROLES,
        help_text=gettext_lazy(
            "Assistants run assignments. Instructors also manage staff. Observers can only view."
        ),
    )

    def __init__(self, *args: Any, **named: Any) -> None:
        named.setdefault("auto_id", "staff_%s")  # it shares a page with StudentForm
        super().__init__(*args, **named)


class RoleForm(forms.Form):
    role = forms.ChoiceField(label=gettext_lazy("Role"), choices=Role.choices)


# -- A roster from a file ------------------------------------------------------------------------------


class RosterForm(forms.Form):
    file = forms.FileField(label=gettext_lazy("Roster (CSV or Excel)"), allow_empty_file=True)


COLUMN_LABELS = {
    "student_id": gettext_lazy("Student number"),
    "email": gettext_lazy("E-mail address"),
    "name": gettext_lazy("Full name"),
    "first_name": gettext_lazy("First name"),
    "last_name": gettext_lazy("Last name"),
    "section": gettext_lazy("Section"),
    "group": gettext_lazy("Group or team"),
}


class ColumnsForm(forms.Form):
    def __init__(self, header: list[str], *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        choices = [("", gettext_lazy("– not in the file –")), *((column, column) for column in header)]
        for role, label in COLUMN_LABELS.items():
            self.fields[role] = forms.ChoiceField(label=label, required=False, choices=choices)


# -- Who is in a course: the list, adding and inviting people, their roles -----------------------------


PER_PAGE = 100


@allowed(Action.SEE_PEOPLE)
def people(request: HttpRequest, here: RequestScope) -> HttpResponse:
    return _people(request, here)


def _people(
    request: HttpRequest,
    here: RequestScope,
    student_form: StudentForm | None = None,
    staff_form: StaffForm | None = None,
    status: int = 200,
) -> HttpResponse:
    chosen = {name: plain(request.GET.get(name, "")) for name in ("role", "section", "search")}
    listed = visibility.people_for(here.member)
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
        "roster/people",
        status,
        people=Paginator(by_name(listed), PER_PAGE).get_page(request.GET.get("page")),
        chosen=chosen,
        chosen_query=urlencode({name: value for name, value in chosen.items() if value}),
        roles=Role.choices,
        staff_roles=[role.value for role in Role if services.is_staff_role(role)],
        sections=overview.sections_of(here.course),
        counts=overview.people_by_role(here.course),
        uninvited=_uninvited(here).count(),
        student_form=student_form or StudentForm(),
        staff_form=staff_form or StaffForm(),
    )


@allowed(Action.EDIT_STUDENTS, "POST")
def add_student(request: HttpRequest, here: RequestScope) -> HttpResponse:
    form = StudentForm(request.POST)
    if form.is_valid():
        with refusal_on(form):
            services.add_member(course=here.course, by=here.person, role=Role.STUDENT, **form.cleaned_data)
            messages.success(request, _("Added: %(name)s") % {"name": form.cleaned_data["name"]})
            return redirect("people", here.course.key)
    return _people(request, here, student_form=form, status=422)


@allowed(Action.EDIT_STAFF, "POST")
def add_staff(request: HttpRequest, here: RequestScope) -> HttpResponse:
    form = StaffForm(request.POST)
    if form.is_valid():
        values = {**form.cleaned_data, "role": Role(form.cleaned_data["role"])}
        with refusal_on(form):
            member = services.add_member(course=here.course, by=here.person, **values)
            return _invite(request, here, [member])
    return _people(request, here, staff_form=form, status=422)


@allowed(Action.EDIT_STUDENTS, "GET", "POST")
def member(request: HttpRequest, here: RequestScope) -> HttpResponse:
    member = _editable(here)
    fields = ("name", "student_id", "section", "group")
    form = MemberForm(request.POST or None, initial={name: getattr(member, name) for name in fields})
    if request.method == "POST" and form.is_valid():
        with refusal_on(form):
            services.change_member(member=member, by=here.person, **form.cleaned_data)
            messages.success(request, _("Saved."))
            return redirect("people", here.course.key)
    role_form = RoleForm(initial={"role": member.role})
    status = 422 if form.errors else 200
    return page(request, here, "roster/member", status, form=form, member=member, role_form=role_form)


@allowed(Action.EDIT_STAFF, "POST")
def change_role(request: HttpRequest, here: RequestScope) -> HttpResponse:
    member: Membership = here.objects["member"]
    form = RoleForm(request.POST)
    if form.is_valid():
        with refusal_as_message(request):
            services.change_role(member=member, by=here.person, role=Role(form.cleaned_data["role"]))
            messages.success(request, _("Saved."))
    if member.pk == here.member.pk:
        return redirect("course", here.course.key)  # it may have been the last look at the list
    return redirect("people", here.course.key)


@allowed(Action.EDIT_STUDENTS, "POST")
def drop(request: HttpRequest, here: RequestScope) -> HttpResponse:
    member = _editable(here)
    with refusal_as_message(request):
        services.drop_member(member=member, by=here.person)
        messages.success(request, _("Dropped: %(name)s") % {"name": member.shown_name})
    return redirect("people", here.course.key)


@allowed(Action.INVITE_STUDENTS, "POST")
def invite_all(request: HttpRequest, here: RequestScope) -> HttpResponse:
    return _invite(request, here, _uninvited(here))


def _invite(request: HttpRequest, here: RequestScope, members: Iterable[Membership]) -> HttpResponse:
    """Mail is on its way; without a server for it, there are links to copy, on this page and never again."""
    invited = services.invite(members=members, by=here.person)
    if not has_mail_server():
        return page(request, here, "roster/links", invited=invited)
    count = len(invited)
    text = ngettext("%(count)d invitation is on its way.", "%(count)d invitations are on their way.", count)
    messages.success(request, text % {"count": count})
    return redirect("people", here.course.key)


@allowed(Action.INVITE_STUDENTS, "POST")
def invite(request: HttpRequest, here: RequestScope) -> HttpResponse:
    return _invite(request, here, [_editable(here)])


def _editable(here: RequestScope) -> Membership:
    """The person of the address; who is staff can be changed by those only who decide about staff."""
    member: Membership = here.objects["member"]
    if services.is_staff_role(member.role) and not here.may(Action.EDIT_STAFF):
        raise PermissionDenied
    return member


def _uninvited(here: RequestScope):  # type: ignore[no-untyped-def]
    students = visibility.people_for(here.member).filter(role=Role.STUDENT, invited_at=None)
    students = students.exclude(person__email__endswith=ELSEWHERE)  # their learning platform is the way in
    return students.select_related("course", "person")


# -- Importing a roster: upload, columns, preview of what will change, commit --------------------------


SHOWN = 500  # lines of each list


@allowed(Action.IMPORT_ROSTER, "GET", "POST")
def upload(request: HttpRequest, here: RequestScope) -> HttpResponse:
    form = RosterForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            kept = imports.keep_roster(course=here.course, upload=form.cleaned_data["file"], by=here.person)
        except Refused as error:
            form.add_error(None, str(error))
            return mark_refusal(page(request, here, "roster/upload", form=form), error)
        return redirect("roster-preview", here.course.key, kept.key)
    return page(request, here, "roster/upload", 422 if form.errors else 200, form=form)


@allowed(Action.IMPORT_ROSTER, "GET", "POST")
def preview(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Which column is what, what is wrong, and what would change."""
    kept: RosterImport = here.objects["roster_import"]
    if request.method == "POST":
        columns = {role: request.POST.get(role, "") for role in COLUMN_LABELS}
        imports.choose_columns(kept=kept, columns=columns)
        return redirect("roster-preview", here.course.key, kept.key)
    return _preview(request, here, kept)


def _preview(request: HttpRequest, here: RequestScope, kept: RosterImport, refused: str = "") -> HttpResponse:
    content = imports.read_kept(kept=kept)
    context: dict[str, Any] = {"content": content, "kept": kept, "refused": refused, "most": SHOWN}
    context["form"] = ColumnsForm(content["header"], initial=content["columns"])
    if content["problem"] is None:
        changes = changes_of(here.course, content["rows"], content["columns"])
        context |= {"changes": changes, "fingerprint": imports.fingerprint(changes)}
    return page(request, here, "roster/preview", 422 if refused else 200, **context)


@allowed(Action.IMPORT_ROSTER, "POST")
def commit(request: HttpRequest, here: RequestScope) -> HttpResponse:
    kept: RosterImport = here.objects["roster_import"]
    try:
        changes = imports.commit_roster(
            kept=kept,
            by=here.person,
            drop_missing="drop" in request.POST,
            expected=request.POST.get("fingerprint", ""),
        )
    except Refused as error:
        return _preview(request, here, kept, refused=str(error))
    text = _("Imported: %(added)d added, %(updated)d changed, %(same)d unchanged.") % {
        "added": len(changes.add) + len(changes.take_back),
        "updated": len(changes.update),
        "same": changes.same,
    }
    messages.success(request, text)
    if "invite" in request.POST and here.may(Action.INVITE_STUDENTS):
        new = here.course.memberships.filter(role=Role.STUDENT, invited_at=None)
        return _invite(request, here, new.select_related("course", "person"))
    return redirect("people", here.course.key)


@allowed(Action.IMPORT_ROSTER, "POST")
def cancel(request: HttpRequest, here: RequestScope) -> HttpResponse:
    imports.forget_roster(kept=here.objects["roster_import"])
    return redirect("people", here.course.key)

"""People of a course."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from peerage_web.classes.words import Role


class StudentForm(forms.Form):
    """One student."""

    name = forms.CharField(label=_("Name"), max_length=200)
    email = forms.EmailField(label=_("E-mail address"), max_length=254)
    student_id = forms.CharField(label=_("Student number"), max_length=100, required=False)
    section = forms.CharField(label=_("Section"), max_length=100, required=False)


class MemberForm(forms.Form):
    """What can be changed of somebody in the course."""

    name = forms.CharField(label=_("Name"), max_length=200, required=False)
    student_id = forms.CharField(label=_("Student number"), max_length=100, required=False)
    section = forms.CharField(label=_("Section"), max_length=100, required=False)
    group = forms.CharField(
        label=_("Group"),
        max_length=100,
        required=False,
        help_text=_("Teams of a new assignment start from it."),
    )


STAFF_ROLES = [(role.value, role.label) for role in (Role.ASSISTANT, Role.INSTRUCTOR, Role.OBSERVER)]


class StaffForm(forms.Form):
    """Somebody who is to help."""

    email = forms.EmailField(label=_("E-mail address"), max_length=254)
    name = forms.CharField(label=_("Name"), max_length=200, required=False)
    role = forms.ChoiceField(
        label=_("Role"),
        choices=STAFF_ROLES,
        help_text=_("Assistants run assignments; instructors also decide who is staff; observers only look."),
    )

    def __init__(self, *given: Any, **named: Any) -> None:
        named.setdefault("auto_id", "staff_%s")  # it shares a page with StudentForm
        super().__init__(*given, **named)


class RoleForm(forms.Form):
    """Another role."""

    role = forms.ChoiceField(label=_("Role"), choices=Role.choices)

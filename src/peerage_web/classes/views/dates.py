"""Dates of an assignment, extensions, and the record of both."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.forms.assignments import DatesForm, ExtensionForm
from peerage_web.classes.models import Extension
from peerage_web.classes.queries import readiness, visible
from peerage_web.classes.rules import Action
from peerage_web.classes.services import assignments as services
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page
from peerage_web.shared.errors import Refused


@allowed(Action.EDIT_DATES, "GET", "POST")
def dates(request: HttpRequest, here: Here) -> HttpResponse:
    """Change the dates."""
    initial = {name: getattr(here.assignment, name) for name in DatesForm.names}
    form = DatesForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            services.change_assignment(assignment=here.assignment, by=here.person, **form.cleaned_data)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Saved."))
            return redirect("assignment-dates", here.course.key, here.assignment.key)
    return _page(request, here, form=form)


@allowed(Action.EDIT_DATES, "POST")
def grant_extension(request: HttpRequest, here: Here) -> HttpResponse:
    """More time for one student."""
    form = ExtensionForm(request.POST)
    if form.is_valid():
        given = dict(form.cleaned_data)
        member = visible.people_for(here.member).filter(pk=given.pop("member")).first()
        try:
            if member is None:
                raise Refused(_("Extensions are for students of this course."))
            services.grant_extension(assignment=here.assignment, member=member, by=here.person, **given)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("%(name)s has more time now.") % {"name": member.shown_name})
            return redirect("assignment-dates", here.course.key, here.assignment.key)
    return _page(request, here, extension_form=form)


@allowed(Action.EDIT_DATES, "POST")
def remove_extension(request: HttpRequest, here: Here) -> HttpResponse:
    """The common dates hold again."""
    extension: Extension = here.objects["extension"]
    services.remove_extension(extension=extension, by=here.person)
    messages.success(request, _("The extension is gone."))
    return redirect("assignment-dates", here.course.key, here.assignment.key)


def _page(
    request: HttpRequest,
    here: Here,
    form: DatesForm | None = None,
    extension_form: ExtensionForm | None = None,
) -> HttpResponse:
    initial = {name: getattr(here.assignment, name) for name in DatesForm.names}
    form = form or DatesForm(initial=initial)
    extension_form = extension_form or ExtensionForm()
    extensions = visible.extensions_for(here.member).filter(assignment=here.assignment)
    return page(
        request,
        here,
        "assignment_dates",
        422 if form.errors or extension_form.errors else 200,
        form=form,
        extension_form=extension_form,
        students=_students(here),
        extensions=extensions.select_related("membership__person", "granted_by"),
        events=services.date_changes(assignment=here.assignment)[:100],
    )


def _students(here: Here) -> list[tuple[str, str]]:
    """Number and name of each; as text, for comparing with what the form holds."""
    rows = readiness.students_of(here.assignment).values_list("pk", "name", "person__email")
    return [(str(number), name or email) for number, name, email in rows]

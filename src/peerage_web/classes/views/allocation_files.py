"""Who reviews whom as a file: out, and in with a preview."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.forms.allocation import AllocationFileForm
from peerage_web.classes.models import Assignment
from peerage_web.classes.queries import matrix
from peerage_web.classes.rules import Action
from peerage_web.classes.services import allocation_files as services
from peerage_web.classes.services.replacing import names_of
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import mark_refusal

SHOWN = 200


@allowed(Action.SEE_ALLOCATION)
def download(request: HttpRequest, here: Here) -> HttpResponse:
    """The matrix as CSV, with names: for staff."""
    content = services.allocation_file(assignment=here.assignment)
    answer = HttpResponse(content, content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = 'attachment; filename="allocation.csv"'
    return answer


@allowed(Action.CHANGE_ALLOCATION, "POST")
def upload(request: HttpRequest, here: Here) -> HttpResponse:
    """What a file would change; nothing does yet."""
    form = AllocationFileForm(request.POST, request.FILES)
    if not form.is_valid():
        messages.error(request, _("Choose a file first."))
        return redirect("allocation", here.course.key, here.assignment.key)
    try:
        words = services.read_upload(upload=form.cleaned_data["file"], by=here.person)
    except Refused as error:
        return mark_refusal(page(request, here, "allocation_import", refused=str(error)), error)
    changes = services.changes_of(assignment=here.assignment, words=words)
    status = 422 if changes.errors else 200
    return page(
        request,
        here,
        "allocation_import",
        status,
        changes=changes,
        errors=changes.errors,
        added=_named(here.assignment, changes.add[:SHOWN]),
        removed=_named(here.assignment, changes.remove[:SHOWN]),
        kept=""
        if changes.errors
        else services.keep(assignment=here.assignment, changes=changes, by=here.person),
    )


@allowed(Action.CHANGE_ALLOCATION, "POST")
def commit(request: HttpRequest, here: Here) -> HttpResponse:
    """Do what the preview showed."""
    try:
        changes = services.commit_file(
            assignment=here.assignment, kept=request.POST.get("kept", ""), by=here.person
        )
    except Refused as error:
        return mark_refusal(page(request, here, "allocation_import", refused=str(error)), error)
    text = _("Changed: %(added)d added, %(removed)d taken away.")
    messages.success(request, text % {"added": len(changes.add), "removed": len(changes.remove)})
    return redirect("allocation-matrix", here.course.key, here.assignment.key)


def _named(assignment: Assignment, pairs: list[tuple[int, int]]) -> list[tuple[str, str]]:
    people = names_of(who for who, _work in pairs)
    works = matrix.work_names(assignment, {work for _who, work in pairs})
    return [(people.get(who, ""), works.get(work, "")) for who, work in pairs]

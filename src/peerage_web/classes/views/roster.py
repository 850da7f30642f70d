"""Importing a roster: upload, columns, preview of what will change, commit."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.forms.rosters import COLUMN_LABELS, ColumnsForm, RosterForm
from peerage_web.classes.models import RosterImport
from peerage_web.classes.queries.roster_changes import changes_of
from peerage_web.classes.rules import Action
from peerage_web.classes.services import people as people_services
from peerage_web.classes.services import roster as services
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page
from peerage_web.classes.words import Role
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import mark_refusal

SHOWN = 500  # lines of each list


@allowed(Action.IMPORT_ROSTER, "GET", "POST")
def upload(request: HttpRequest, here: Here) -> HttpResponse:
    """Choose a file."""
    form = RosterForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            kept = services.keep_roster(course=here.course, upload=form.cleaned_data["file"], by=here.person)
        except Refused as error:
            form.add_error(None, str(error))
            return mark_refusal(page(request, here, "roster_upload", form=form), error)
        return redirect("roster-preview", here.course.key, kept.key)
    return page(request, here, "roster_upload", 422 if form.errors else 200, form=form)


@allowed(Action.IMPORT_ROSTER, "GET", "POST")
def preview(request: HttpRequest, here: Here) -> HttpResponse:
    """Which column is what, what is wrong, and what would change."""
    kept: RosterImport = here.objects["roster_import"]
    if request.method == "POST":
        given = {role: request.POST.get(role, "") for role in COLUMN_LABELS}
        services.choose_columns(kept=kept, columns=given)
        return redirect("roster-preview", here.course.key, kept.key)
    return _preview(request, here, kept)


def _preview(request: HttpRequest, here: Here, kept: RosterImport, refused: str = "") -> HttpResponse:
    found = services.read_kept(kept=kept)
    context: dict[str, Any] = {"found": found, "kept": kept, "refused": refused, "most": SHOWN}
    context["form"] = ColumnsForm(found["header"], initial=found["columns"])
    if found["problem"] is None:
        changes = changes_of(here.course, found["rows"], found["columns"])
        context |= {"changes": changes, "fingerprint": services.fingerprint(changes)}
    return page(request, here, "roster_preview", 422 if refused else 200, **context)


@allowed(Action.IMPORT_ROSTER, "POST")
def commit(request: HttpRequest, here: Here) -> HttpResponse:
    """Do what the preview showed."""
    kept: RosterImport = here.objects["roster_import"]
    try:
        changes = services.commit_roster(
            kept=kept,
            by=here.person,
            drop_missing="drop" in request.POST,
            expected=request.POST.get("fingerprint", ""),
        )
    except Refused as error:
        return _preview(request, here, kept, refused=str(error))
    text = _("Imported: %(added)d added, %(updated)d changed, %(same)d as before.") % {
        "added": len(changes.add) + len(changes.take_back),
        "updated": len(changes.update),
        "same": changes.same,
    }
    messages.success(request, text)
    if "invite" in request.POST and here.may(Action.INVITE_STUDENTS):
        new = here.course.memberships.filter(role=Role.STUDENT, invited_at=None)
        people_services.invite(members=new.select_related("course", "person"), by=here.person)
    return redirect("people", here.course.key)


@allowed(Action.IMPORT_ROSTER, "POST")
def cancel(request: HttpRequest, here: Here) -> HttpResponse:
    """Forget the file."""
    services.forget_roster(kept=here.objects["roster_import"])
    return redirect("people", here.course.key)

"""The practice round as staff make it: examples with the place they give them, and why."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.forms.practice import ExampleForm
from peerage_web.classes.rules import Action
from peerage_web.classes.services import practice as services
from peerage_web.classes.services.practice_files import keep_file
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page
from peerage_web.shared.errors import Refused
from peerage_web.shared.visitors import visitor_of


@allowed(Action.EDIT_PRACTICE, "GET", "POST")
def examples(request: HttpRequest, here: Here) -> HttpResponse:
    """All of them, and a form for one more."""
    form = ExampleForm(request.POST or None, request.FILES or None, initial={"place": _next_place(here)})
    if request.method == "POST" and form.is_valid():
        try:
            services.add_example(assignment=here.assignment, by=here.person, **_fields(request, form))
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Added."))
            return redirect("practice-examples", here.course.key, here.assignment.key)
    return _page(request, here, form)


@allowed(Action.EDIT_PRACTICE, "GET", "POST")
def example(request: HttpRequest, here: Here) -> HttpResponse:
    """Change one."""
    one = here.objects["example"]
    values = {name: getattr(one, name) for name in ExampleForm.base_fields if name != "file"}
    form = ExampleForm(request.POST or None, request.FILES or None, initial=values, has_file=bool(one.stored))
    if request.method == "POST" and form.is_valid():
        try:
            services.change_example(example=one, by=here.person, **_fields(request, form))
        except Refused as error:
            form.add_error("file", str(error))
        else:
            messages.success(request, _("Saved."))
            return redirect("practice-examples", here.course.key, here.assignment.key)
    return _page(request, here, form, example=one)


@allowed(Action.EDIT_PRACTICE, "POST")
def remove(request: HttpRequest, here: Here) -> HttpResponse:
    """Take one away."""
    services.remove_example(example=here.objects["example"], by=here.person)
    messages.success(request, _("Removed."))
    return redirect("practice-examples", here.course.key, here.assignment.key)


def _fields(request: HttpRequest, form: ExampleForm) -> dict[str, Any]:
    given = dict(form.cleaned_data)
    upload = given.pop("file")
    return {**given, **(keep_file(upload=upload, visitor=visitor_of(request)) if upload else {})}


def _next_place(here: Here) -> int:
    return max(here.assignment.practice_examples.values_list("place", flat=True), default=0) + 1


def _page(request: HttpRequest, here: Here, form: ExampleForm, **context: Any) -> HttpResponse:
    listed = here.assignment.practice_examples.all()
    return page(
        request,
        here,
        "practice_examples",
        422 if form.errors else 200,
        form=form,
        examples=sorted(listed, key=lambda one: (one.place, one.position)),
        fewest=services.FEWEST,
        **context,
    )

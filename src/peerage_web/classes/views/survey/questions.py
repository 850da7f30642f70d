"""What the survey asks, as staff decide it; and closing it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.forms.survey import QuestionForm
from peerage_web.classes.queries.survey.state import asked, staff_state
from peerage_web.classes.rules import Action
from peerage_web.classes.services.survey import questions as services
from peerage_web.classes.services.survey.closing import close_survey
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page
from peerage_web.shared.errors import Refused


@allowed(Action.EDIT_SURVEY, "GET", "POST")
def questions(request: HttpRequest, here: Here) -> HttpResponse:
    """All of them, and a form for one more."""
    services.begin(here.assignment)
    form = QuestionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            services.add_question(assignment=here.assignment, by=here.person, **form.cleaned_data)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Added."))
            return _back(here)
    return page(
        request,
        here,
        "survey/questions",
        422 if form.errors else 200,
        form=form,
        questions=[asked(one) for one in here.assignment.survey_questions.all()],
        state=staff_state(here.assignment),
    )


@allowed(Action.EDIT_SURVEY, "POST")
def remove(request: HttpRequest, here: Here) -> HttpResponse:
    """Ask one no longer."""
    try:
        services.remove_question(question=here.objects["question"], by=here.person)
    except Refused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The question is no longer asked."))
    return _back(here)


@allowed(Action.EDIT_SURVEY, "POST")
def again(request: HttpRequest, here: Here) -> HttpResponse:
    """Ask it again."""
    try:
        services.ask_again(question=here.objects["question"], by=here.person)
    except Refused as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The question is asked again."))
    return _back(here)


@allowed(Action.EDIT_SURVEY, "POST")
def switch(request: HttpRequest, here: Here) -> HttpResponse:
    """Ask students, or do not."""
    on = request.POST.get("on") == "yes"
    services.switch(assignment=here.assignment, by=here.person, on=on)
    messages.success(request, _("Students are asked.") if on else _("Students are not asked."))
    return _back(here)


@allowed(Action.EDIT_SURVEY, "POST")
def close(request: HttpRequest, here: Here) -> HttpResponse:
    """Close the survey for good; the tick says that it is meant."""
    if "sure" not in request.POST:
        messages.error(request, _("Tick that you are sure: it cannot be undone."))
        return _back(here)
    try:
        close_survey(assignment=here.assignment, by=here.person)
    except Refused as error:
        messages.error(request, str(error))
        return _back(here)
    messages.success(request, _("The survey is closed, and its answers are nobody’s any more."))
    return redirect("survey-staff", here.course.key, here.assignment.key)


def _back(here: Here) -> HttpResponse:
    return redirect("survey-questions", here.course.key, here.assignment.key)

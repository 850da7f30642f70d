"""The survey as students see it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from peerage_web.classes.forms.survey import AnswersForm
from peerage_web.classes.queries.names import names_in
from peerage_web.classes.queries.survey.answers import own_answers
from peerage_web.classes.queries.survey.state import FEWEST, is_asked, is_closed, questions_of
from peerage_web.classes.rules import Action
from peerage_web.classes.services.survey.answering import save_answers
from peerage_web.classes.services.survey.questions import begin
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page
from peerage_web.shared.errors import Refused


@allowed(Action.ANSWER_SURVEY, "GET", "POST", keeps_typed=True)
def survey(request: HttpRequest, here: Here) -> HttpResponse:
    """Answer, and change the answers as long as the survey is open."""
    begin(here.assignment)
    form = AnswersForm(
        questions_of(here.assignment),
        request.POST or None,
        known=own_answers(here.assignment, here.member),
    )
    if request.method == "POST" and form.is_valid():
        try:
            save_answers(assignment=here.assignment, member=here.member, given=form.given)
        except Refused as error:
            messages.error(request, str(error))
        else:
            _thank(request, here, form)
        return redirect("survey", here.course.key, here.assignment.key)
    return page(
        request,
        here,
        "survey/answer",
        422 if form.errors else 200,
        form=form,
        is_asked=is_asked(here.assignment),
        is_closed=is_closed(here.assignment),
        fewest=FEWEST,
    )


def _thank(request: HttpRequest, here: Here, form: AnswersForm) -> None:
    messages.success(request, _("Thank you. Your answers are saved."))
    texts = "\n".join(one.text for one in form.given.values())
    if found := names_in(texts, here.assignment):
        text = _("There are names in your answers (%(names)s). Whoever reads them may guess who wrote them.")
        messages.warning(request, text % {"names": ", ".join(found)})

"""The practice round of a student: the screen of the real one, with an answer to every choice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from peerage_web.classes import judgement
from peerage_web.classes.markdown import to_html
from peerage_web.classes.queries.practice import Answer, PracticeSheet, Try, practice_of
from peerage_web.classes.queries.shown import shown_of_example
from peerage_web.classes.rules import Action
from peerage_web.classes.services import practice as services
from peerage_web.classes.services.practice_files import folder_of
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page
from peerage_web.classes.views.ranking_texts import texts
from peerage_web.classes.views.shown import asked, sent
from peerage_web.sandbox.contract.rendering import COPY_FOLDER, InvalidCopyError, ReviewCopy, read_review_copy
from peerage_web.shared.errors import Refused


@allowed(Action.PRACTISE)
def practice(request: HttpRequest, here: Here) -> HttpResponse:
    """The examples, and the order so far."""
    return _page(request, here)


@allowed(Action.PRACTISE, "POST", keeps_typed=True)
def save(request: HttpRequest, here: Here) -> HttpResponse:
    """Keep the order and answer it."""
    is_script = request.content_type == "application/json"
    try:
        sheet = _save(here, _sent(request, is_script))
    except Refused as error:
        if is_script:
            return JsonResponse({"code": "refused", "detail": str(error)}, status=422)
        return _page(request, here, 422, problem=str(error))
    if is_script:
        return JsonResponse(_answers(sheet))
    return redirect("practice", here.course.key, here.assignment.key)


@allowed(Action.PRACTISE, "POST", keeps_typed=True)
def finish(request: HttpRequest, here: Here) -> HttpResponse:
    """Save, then say that it is done."""
    try:
        _save(here, judgement.from_form(request.POST.dict()))
        services.finish_practice(assignment=here.assignment, member=here.member, by=here.person)
    except Refused as error:
        return _page(request, here, 422, problem=str(error))
    messages.success(request, _("You have finished the practice round."))
    return redirect("practice", here.course.key, here.assignment.key)


@allowed(Action.PRACTISE)
def picture(request: HttpRequest, here: Here) -> HttpResponseBase:
    """A page of an example."""
    found = _made(here)
    if found is None:
        return redirect("practice", here.course.key, here.assignment.key)
    (folder, made), number = found, asked(request, "page")
    if number > len(made.pictures):
        raise Http404
    name = made.pictures[number - 1].name
    return sent(folder / name, f"page-{number}.{name.rpartition('.')[2]}", attached=False)


@allowed(Action.PRACTISE)
def download(request: HttpRequest, here: Here) -> HttpResponseBase:
    """The copy of its file."""
    found = _made(here)
    if found is None:
        return redirect("practice", here.course.key, here.assignment.key)
    folder, made = found
    return sent(folder / made.download, f"example.{made.download.rpartition('.')[2]}", attached=True)


def _made(here: Here) -> tuple[Path, ReviewCopy] | None:
    """Where the copy is and what is in it; None where the example has no file."""
    example = here.objects["example"]
    folder = folder_of(example) / COPY_FOLDER
    if not example.stored:
        return None
    try:
        return folder, read_review_copy(folder)
    except InvalidCopyError:
        raise Http404 from None


def _sent(request: HttpRequest, is_script: bool) -> judgement.Sent:
    return judgement.from_json(request.body) if is_script else judgement.from_form(request.POST.dict())


def _save(here: Here, sent: judgement.Sent) -> PracticeSheet:
    if sent.bins is None:
        return practice_of(here.assignment, here.member)
    return services.save_practice(assignment=here.assignment, member=here.member, bins=sent.bins)


def _page(request: HttpRequest, here: Here, status: int = 200, **context: Any) -> HttpResponse:
    offered = services.is_offered(here.assignment)
    sheet = practice_of(here.assignment, here.member)
    rows = [
        {
            "one": one,
            "html": to_html(one.example.text),
            "shown": shown_of_example(one.example),
            "says": says(one),
        }
        for one in sheet.items
    ]
    return page(
        request,
        here,
        "practice",
        status,
        offered=offered,
        sheet=sheet,
        rows=rows,
        places=range(1, len(sheet.items) + 1),
        before=judgement.before(sheet.bins, sheet.version),
        data=json.dumps(_for_script(here, sheet)),
        **context,
    )


def _for_script(here: Here, sheet: PracticeSheet) -> dict[str, Any]:
    keys = [here.course.key, here.assignment.key]
    return {
        "key": f"peerage-ranking-{here.person.pk}-{here.assignment.key}-practice",
        "save": reverse("practice-save", args=keys),
        "signIn": f"{reverse('sign-in')}?next={reverse('practice', args=keys)}",
        "bins": sheet.bins,
        "version": sheet.version,
        "ties": here.assignment.ties_allowed,
        "works": [one.label for one in sheet.items],
        "delay": 0,  # every choice is answered at once
        "texts": texts() | {"work": _("Example {work}")},
    }


def _answers(sheet: PracticeSheet) -> dict[str, Any]:
    return {
        "code": "saved",
        "bins": sheet.bins,
        "version": sheet.version,
        "works": [one.label for one in sheet.items],
        "comments": {},
        "answers": {one.label: says(one) for one in sheet.items},
    }


def says(one: Try) -> dict[str, Any] | None:
    """The answer to a choice, in words; None as long as there is nothing to compare it with."""
    if one.answer is None:
        return None
    agree, differ = _("As your instructors see it."), _("Your instructors see it differently.")
    return {
        "agrees": one.answer.agrees,
        "text": " ".join([agree if one.answer.agrees else differ, *_differences(one.answer)]),
        "because": one.example.because,
    }


def _differences(answer: Answer) -> list[str]:
    found = []
    if answer.above:
        found.append(_("They put it below %(others)s.") % {"others": ", ".join(answer.above)})
    if answer.below:
        found.append(_("They put it above %(others)s.") % {"others": ", ".join(answer.below)})
    if answer.beside:
        found.append(_("They see it on a par with %(others)s.") % {"others": ", ".join(answer.beside)})
    return found

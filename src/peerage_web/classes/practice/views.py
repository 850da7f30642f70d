"""The practice round: the screen of a student, and the examples as staff edit them."""

import json
from pathlib import Path
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from peerage_web.classes.access import allowed, page
from peerage_web.classes.markdown import to_html
from peerage_web.classes.names import file_name
from peerage_web.classes.permissions import Action
from peerage_web.classes.practice import services
from peerage_web.classes.practice.queries import PracticeFeedback, PracticeSheet, PracticeTry, practice_of
from peerage_web.classes.practice.services import folder_of, keep_file
from peerage_web.classes.reviewing import ranking_input
from peerage_web.classes.reviewing.texts import texts
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.submissions.file_views import asked, sent
from peerage_web.classes.submissions.shown import shown_of_example
from peerage_web.sandbox.contract.rendering import COPY_FOLDER, InvalidCopyError, ReviewCopy, read_review_copy
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import refusal_on
from peerage_web.shared.visitors import visitor_of


class ExampleForm(forms.Form):
    title = forms.CharField(
        label=gettext_lazy("Title"), max_length=200, help_text=gettext_lazy("For staff only.")
    )
    text = forms.CharField(
        label=gettext_lazy("Example text"),
        max_length=50_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 10}),
        help_text=gettext_lazy("What students read, in Markdown."),
    )
    file = forms.FileField(
        label=gettext_lazy("Or a file"),
        required=False,
        help_text=gettext_lazy("A PDF, an image or text. Students see it the way reviewers see submissions."),
    )
    place = forms.IntegerField(
        label=gettext_lazy("Rank"),
        min_value=1,
        max_value=99,
        help_text=gettext_lazy("1 is best. Examples with the same rank are tied."),
    )
    because = forms.CharField(
        label=gettext_lazy("Why it has this rank"),
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("Students see this as feedback on their choice."),
    )

    def __init__(self, *args: Any, has_file: bool = False, **named: Any) -> None:
        super().__init__(*args, **named)
        self.has_file = has_file

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if not (values.get("text") or values.get("file") or self.has_file or self.errors):
            self.add_error("text", gettext_lazy("Enter the example text, or choose a file."))
        return values


# -- The practice round of a student: the screen of the real one, with an answer to every choice -------


@allowed(Action.PRACTISE)
def practice(request: HttpRequest, here: RequestScope) -> HttpResponse:
    return _page(request, here)


@allowed(Action.PRACTISE, "POST", keeps_typed=True)
def save(request: HttpRequest, here: RequestScope) -> HttpResponse:
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
def finish(request: HttpRequest, here: RequestScope) -> HttpResponse:
    try:
        _save(here, ranking_input.from_form(request.POST.dict()))
        services.finish_practice(assignment=here.assignment, member=here.member, by=here.person)
    except Refused as error:
        return _page(request, here, 422, problem=str(error))
    messages.success(request, _("You have finished the practice round."))
    return redirect("practice", here.course.key, here.assignment.key)


@allowed(Action.PRACTISE)
def picture(request: HttpRequest, here: RequestScope) -> HttpResponseBase:
    stored = _made(here)
    if stored is None:
        return redirect("practice", here.course.key, here.assignment.key)
    (folder, copy), number = stored, asked(request, "page")
    if number > len(copy.pictures):
        raise Http404
    name = copy.pictures[number - 1].name
    return sent(folder / name, f"page-{number}.{name.rpartition('.')[2]}", attached=False)


@allowed(Action.PRACTISE)
def download(request: HttpRequest, here: RequestScope) -> HttpResponseBase:
    stored = _made(here)
    if stored is None:
        return redirect("practice", here.course.key, here.assignment.key)
    folder, copy = stored
    name = file_name(here.assignment, "example", copy.download.rpartition(".")[2])
    return sent(folder / copy.download, name, attached=True)


def _made(here: RequestScope) -> tuple[Path, ReviewCopy] | None:
    """Where the copy is and what is in it; None where the example has no file."""
    example = here.objects["example"]
    folder = folder_of(example) / COPY_FOLDER
    if not example.stored:
        return None
    try:
        return folder, read_review_copy(folder)
    except InvalidCopyError:
        raise Http404 from None


def _sent(request: HttpRequest, is_script: bool) -> ranking_input.RankingInput:
    return (
        ranking_input.from_json(request.body) if is_script else ranking_input.from_form(request.POST.dict())
    )


def _save(here: RequestScope, sent: ranking_input.RankingInput) -> PracticeSheet:
    if sent.tiers is None:
        return practice_of(here.assignment, here.member)
    return services.save_practice(assignment=here.assignment, member=here.member, tiers=sent.tiers)


def _page(request: HttpRequest, here: RequestScope, status: int = 200, **context: Any) -> HttpResponse:
    offered = services.is_offered(here.assignment)
    sheet = practice_of(here.assignment, here.member)
    rows = [
        {
            "item": item,
            "html": to_html(item.example.text),
            "shown": shown_of_example(item.example),
            "says": says(item),
        }
        for item in sheet.items
    ]
    return page(
        request,
        here,
        "practice/practice",
        status,
        offered=offered,
        sheet=sheet,
        rows=rows,
        places=range(1, len(sheet.items) + 1),
        before=ranking_input.before(sheet.tiers, sheet.version),
        data=json.dumps(_for_script(here, sheet)),
        **context,
    )


def _for_script(here: RequestScope, sheet: PracticeSheet) -> dict[str, Any]:
    keys = [here.course.key, here.assignment.key]
    return {
        "key": f"peerage-ranking-{here.person.pk}-{here.assignment.key}-practice",
        "save": reverse("practice-save", args=keys),
        "signIn": f"{reverse('sign-in')}?next={reverse('practice', args=keys)}",
        "tiers": sheet.tiers,
        "version": sheet.version,
        "ties": here.assignment.ties_allowed,
        "submissions": [item.label for item in sheet.items],
        "delay": 0,  # every choice is answered at once
        "texts": texts() | {"submission": _("Example {submission}")},
    }


def _answers(sheet: PracticeSheet) -> dict[str, Any]:
    return {
        "code": "saved",
        "tiers": sheet.tiers,
        "version": sheet.version,
        "submissions": [item.label for item in sheet.items],
        "comments": {},
        "answers": {item.label: says(item) for item in sheet.items},
    }


def says(item: PracticeTry) -> dict[str, Any] | None:
    """The answer to a choice, in words; None as long as there is nothing to compare it with."""
    if item.answer is None:
        return None
    agree, differ = _("Your instructors agree."), _("Your instructors see it differently.")
    return {
        "agrees": item.answer.agrees,
        "text": " ".join([agree if item.answer.agrees else differ, *_differences(item.answer)]),
        "because": item.example.because,
    }


def _differences(answer: PracticeFeedback) -> list[str]:
    sentences = []
    if answer.above:
        sentences.append(_("They rank it below %(others)s.") % {"others": ", ".join(answer.above)})
    if answer.below:
        sentences.append(_("They rank it above %(others)s.") % {"others": ", ".join(answer.below)})
    if answer.beside:
        sentences.append(_("They see it as tied with %(others)s.") % {"others": ", ".join(answer.beside)})
    return sentences


# -- The practice round as staff make it: examples with the place they give them, and why --------------


@allowed(Action.EDIT_PRACTICE, "GET", "POST")
def examples(request: HttpRequest, here: RequestScope) -> HttpResponse:
    form = ExampleForm(request.POST or None, request.FILES or None, initial={"place": _next_place(here)})
    if request.method == "POST" and form.is_valid():
        with refusal_on(form):
            services.add_example(assignment=here.assignment, by=here.person, **_fields(request, form))
            messages.success(request, _("Added."))
            return redirect("practice-examples", here.course.key, here.assignment.key)
    return _examples_page(request, here, form)


@allowed(Action.EDIT_PRACTICE, "GET", "POST")
def example(request: HttpRequest, here: RequestScope) -> HttpResponse:
    example = here.objects["example"]
    values = {name: getattr(example, name) for name in ExampleForm.base_fields if name != "file"}
    form = ExampleForm(
        request.POST or None, request.FILES or None, initial=values, has_file=bool(example.stored)
    )
    if request.method == "POST" and form.is_valid():
        try:
            services.change_example(example=example, by=here.person, **_fields(request, form))
        except Refused as error:
            form.add_error("file", str(error))
        else:
            messages.success(request, _("Saved."))
            return redirect("practice-examples", here.course.key, here.assignment.key)
    return _examples_page(request, here, form, example=example)


@allowed(Action.EDIT_PRACTICE, "POST")
def remove(request: HttpRequest, here: RequestScope) -> HttpResponse:
    services.remove_example(example=here.objects["example"], by=here.person)
    messages.success(request, _("Removed."))
    return redirect("practice-examples", here.course.key, here.assignment.key)


def _fields(request: HttpRequest, form: ExampleForm) -> dict[str, Any]:
    values = dict(form.cleaned_data)
    upload = values.pop("file")
    return {**values, **(keep_file(upload=upload, visitor=visitor_of(request)) if upload else {})}


def _next_place(here: RequestScope) -> int:
    return max(here.assignment.practice_examples.values_list("place", flat=True), default=0) + 1


def _examples_page(
    request: HttpRequest, here: RequestScope, form: ExampleForm, **context: Any
) -> HttpResponse:
    listed = here.assignment.practice_examples.all()
    return page(
        request,
        here,
        "practice/examples",
        422 if form.errors else 200,
        form=form,
        examples=sorted(listed, key=lambda example: (example.place, example.position)),
        fewest=services.FEWEST,
        **context,
    )

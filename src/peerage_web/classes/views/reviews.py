"""A reviewer's pages: the works with the ranking and comments, saving, handing in, the receipt."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from peerage_web.classes import judgement, sentences
from peerage_web.classes.judgement import Sent
from peerage_web.classes.models import Membership, Report, Review
from peerage_web.classes.queries.rankings import Sheet, sheet_of
from peerage_web.classes.queries.shown import shown_of_review
from peerage_web.classes.rules import Action
from peerage_web.classes.services import handing_in_rankings as handing_in
from peerage_web.classes.services import ranking as services
from peerage_web.classes.services.practice import stands_before_reviewing
from peerage_web.classes.services.ranking import Saved
from peerage_web.classes.views.access import Here, allowed
from peerage_web.classes.views.page import page
from peerage_web.classes.views.ranking_texts import texts
from peerage_web.classes.words import Role
from peerage_web.shared.errors import Refused


@allowed(Action.SEE_REVIEWS)
def reviews(request: HttpRequest, here: Here) -> HttpResponse:
    """The works one is to review, the order so far, and what was written."""
    if stands_before_reviewing(here.assignment, here.member):
        return page(request, here, "practice_first")
    return ranking_page(request, here, here.member)


@allowed(Action.RANK, "POST", keeps_typed=True)
def save(request: HttpRequest, here: Here) -> HttpResponse:
    """Keep what was sent: by the script as JSON, without it as a form."""
    if stands_before_reviewing(here.assignment, here.member):
        return _practice_first(request, here)
    if request.content_type == "application/json":
        return save_for_script(request, here, here.member)
    saved = save_form(request, here, here.member)
    if isinstance(saved, HttpResponse):
        return saved
    messages.success(request, _("Saved. It is not handed in yet."))
    return redirect("reviews", here.course.key, here.assignment.key)


@allowed(Action.HAND_IN_RANKING, "POST", keeps_typed=True)
def hand_in(request: HttpRequest, here: Here) -> HttpResponse:
    """Save what the form holds, then hand it in."""
    if stands_before_reviewing(here.assignment, here.member):
        return _practice_first(request, here)
    saved = save_form(request, here, here.member)
    if isinstance(saved, HttpResponse):
        return saved
    try:
        kept = handing_in.hand_in_ranking(
            assignment=here.assignment,
            reviewer=here.member,
            by=here.person,
            names_are_fine="names_are_fine" in request.POST,
        )
    except handing_in.Incomplete as error:
        words = [sentences.missing(one.code, one.labels) for one in error.missing]
        return ranking_page(request, here, here.member, 422, problems=words, problem=str(error))
    except handing_in.NamesFound as error:
        return ranking_page(request, here, here.member, 422, problem=str(error), names=error.names)
    except Refused as error:
        return ranking_page(request, here, here.member, 422, problem=str(error))
    return redirect("ranking-receipt", here.course.key, here.assignment.key, kept.receipt)


@allowed(Action.SEE_REVIEWS)
def receipt(request: HttpRequest, here: Here) -> HttpResponse:
    """That it was handed in, when, and what."""
    kept = here.objects["handed_in"]
    labels = dict(Review.objects.filter(reviewer=kept.ranking.reviewer).values_list("pk", "label"))
    newest = kept.ranking.handed_in.last()
    return page(
        request,
        here,
        "ranking_receipt",
        kept=kept,
        newest=newest,
        is_newest=newest == kept,
        order=[[labels.get(pk, "?") for pk in one] for one in kept.bins],
        device_key=device_key(here, here.member),
    )


@allowed(Action.SEE_REVIEWS)
def review(request: HttpRequest, here: Here) -> HttpResponse:
    """One work, as large as the window; `?part` is what the script puts into the page of all of them."""
    one: Review = here.objects["review"]
    if stands_before_reviewing(here.assignment, here.member):
        return redirect("reviews", here.course.key, here.assignment.key)
    if one.state == Review.State.OPEN:
        Review.objects.filter(pk=one.pk, opened_at=None).update(opened_at=timezone.now())
    template = "_review" if "part" in request.GET else "review"
    return page(request, here, template, **work_context(one), back=desk_of(here, here.member).page)


def work_context(one: Review) -> dict[str, Any]:
    """What a work is shown with."""
    is_open = one.state == Review.State.OPEN
    return {
        "review": one,
        "is_open": is_open,
        "shown": shown_of_review(one) if is_open else [],
        "reasons": _reasons(),
    }


def _reasons() -> list[tuple[str, str]]:
    words = {
        Report.Reason.BLANK: _("It is blank"),
        Report.Reason.UNREADABLE: _("I cannot open or read it"),
        Report.Reason.KNOWN: _("I know whose it is"),
    }
    return [(reason.value, words[reason]) for reason in Report.Reason]


# -- the page -----------------------------------------------------------------------------------------------


def ranking_page(
    request: HttpRequest,
    here: Here,
    reviewer: Membership,
    status: int = 200,
    sent: Sent | None = None,
    **context: Any,
) -> HttpResponse:
    """The page of a reviewer; `sent` fills the form with what could not be taken."""
    sheet, desk = sheet_of(here.assignment, reviewer, sent), desk_of(here, reviewer)
    return page(
        request,
        here,
        "reviews",
        status,
        sheet=sheet,
        places=range(1, len(sheet.items) + 1),
        field_length=judgement.FIELD,
        desk=desk,
        may_rank=desk.may_rank,
        data=json.dumps(_for_script(here, reviewer, sheet)),
        **context,
    )


def _for_script(here: Here, reviewer: Membership, sheet: Sheet) -> dict[str, Any]:
    desk = desk_of(here, reviewer)
    return {
        "key": device_key(here, reviewer),
        "save": desk.save,
        "signIn": f"{reverse('sign-in')}?next={desk.page}",
        "bins": sheet.bins,
        "shown": sheet.shown,
        "version": sheet.version,
        "ties": here.assignment.ties_allowed,
        "works": [one.label for one in sheet.items],
        "texts": texts(),
    }


@dataclass(frozen=True, slots=True)
class Desk:
    """Where the forms of the page go: the reviewer's own, or those of staff who judge in their place."""

    page: str  # the works stand below it, by the key of the review
    save: str
    hand_in: str
    may_rank: bool
    in_place_of: Membership | None = None


def desk_of(here: Here, reviewer: Membership) -> Desk:
    """Whose page it is decides."""
    keys: list[Any] = [here.course.key, here.assignment.key]
    names, in_place_of, action = ("reviews", "reviews-save", "reviews-hand-in"), None, Action.RANK
    if here.role != Role.STUDENT:
        keys.append(reviewer.pk)
        names, in_place_of, action = ("judge", "judge-save", "judge-hand-in"), reviewer, Action.JUDGE_FOR
    page, save, hand_in = (reverse(name, args=keys) for name in names)
    return Desk(page, save, hand_in, here.may(action), in_place_of)


def device_key(here: Here, reviewer: Membership) -> str:
    """Of the copy on the device: per person, assignment and ranking."""
    return f"peerage-ranking-{here.person.pk}-{here.assignment.key}-{reviewer.pk}"


# -- saving -------------------------------------------------------------------------------------------------


def save_form(request: HttpRequest, here: Here, reviewer: Membership) -> Saved | HttpResponse:
    """What was saved, or the page that says why not, with everything that was typed."""
    try:
        sent = judgement.from_form(request.POST.dict())
        saved = services.save(assignment=here.assignment, reviewer=reviewer, sent=sent)
    except Refused as error:
        typed = judgement.as_typed(request.POST.dict())
        return ranking_page(request, here, reviewer, 422, typed, problem=str(error))
    if saved.in_conflict:
        typed = Sent(sent.bins, saved.version)  # comments are saved
        return ranking_page(request, here, reviewer, 409, typed, other=saved.bins)
    return saved


def save_for_script(request: HttpRequest, here: Here, reviewer: Membership) -> JsonResponse:
    """The same for the script."""
    try:
        sent = judgement.from_json(request.body)
        saved = services.save(assignment=here.assignment, reviewer=reviewer, sent=sent)
    except Refused as error:
        return JsonResponse({"code": "refused", "detail": str(error)}, status=422)
    return JsonResponse(answer_of(saved), status=409 if saved.in_conflict else 200)


def answer_of(saved: Saved) -> dict[str, Any]:
    """As the script reads it."""
    return {
        "code": "conflict" if saved.in_conflict else "saved",
        "bins": saved.bins,
        "version": saved.version,
        "works": saved.works,
        "comments": {
            judgement.field_name(one.label, one.prompt): {"text": one.text, "version": one.version}
            for one in saved.comments
        },
    }


def _practice_first(request: HttpRequest, here: Here) -> HttpResponse:
    text = _("Finish the practice round first.")
    if request.content_type == "application/json":
        return JsonResponse({"code": "practice", "detail": text}, status=409)
    return page(request, here, "practice_first", 409)

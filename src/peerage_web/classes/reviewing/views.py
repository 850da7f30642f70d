"""Pages of a reviewer: submissions with ranking and comments; staff review on behalf of somebody, too."""

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from peerage_web.classes import texts as class_texts
from peerage_web.classes.access import allowed, page
from peerage_web.classes.allocation.models import Report, Review
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.grading.queries import plan_of
from peerage_web.classes.permissions import Action
from peerage_web.classes.practice.services import stands_before_reviewing
from peerage_web.classes.reviewing import ranking_input, services
from peerage_web.classes.reviewing import services as ranking_services
from peerage_web.classes.reviewing.queries import ReviewSheet, sheet_of
from peerage_web.classes.reviewing.ranking_input import RankingInput
from peerage_web.classes.reviewing.self_reviews import SelfReviewSheet, save_self_review, self_review_sheet
from peerage_web.classes.reviewing.services import SavedRanking
from peerage_web.classes.reviewing.texts import texts
from peerage_web.classes.scope import RequestScope
from peerage_web.classes.submissions.names import NamesFound
from peerage_web.classes.submissions.shown import (
    addresses_of_staff,
    current_version,
    shown_of_review,
    shown_of_version,
)
from peerage_web.shared.errors import Refused
from peerage_web.shared.views.errors import refusal_on


@allowed(Action.SEE_REVIEWS)
def reviews(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """The submissions one is to review, the order so far, and what was written."""
    if stands_before_reviewing(here.assignment, here.member):
        return page(request, here, "practice/first")
    return ranking_page(request, here, here.member)


@allowed(Action.RANK, "POST", keeps_typed=True)
def save(request: HttpRequest, here: RequestScope) -> HttpResponse:
    if stands_before_reviewing(here.assignment, here.member):
        return _practice_first(request, here)
    if request.content_type == "application/json":
        return save_for_script(request, here, here.member)
    saved = save_form(request, here, here.member)
    if isinstance(saved, HttpResponse):
        return saved
    messages.success(request, _("Saved, but not submitted yet."))
    return redirect("reviews", here.course.key, here.assignment.key)


@allowed(Action.SUBMIT_RANKING, "POST", keeps_typed=True)
def submit(request: HttpRequest, here: RequestScope) -> HttpResponse:
    if stands_before_reviewing(here.assignment, here.member):
        return _practice_first(request, here)
    saved = save_form(request, here, here.member)
    if isinstance(saved, HttpResponse):
        return saved
    try:
        kept = ranking_services.submit_ranking(
            assignment=here.assignment,
            reviewer=here.member,
            by=here.person,
            names_are_fine="names_are_fine" in request.POST,
        )
    except ranking_services.Incomplete as error:
        words = [
            class_texts.missing(missing.code, missing.labels, missing.least) for missing in error.missing
        ]
        return ranking_page(request, here, here.member, 422, problems=words, problem=str(error))
    except NamesFound as error:
        return ranking_page(request, here, here.member, 422, problem=str(error), names=error.names)
    except Refused as error:
        return ranking_page(request, here, here.member, 422, problem=str(error))
    return redirect("ranking-receipt", here.course.key, here.assignment.key, kept.receipt)


@allowed(Action.SEE_REVIEWS)
def receipt(request: HttpRequest, here: RequestScope) -> HttpResponse:
    kept = here.objects["submitted_ranking"]
    labels = dict(Review.objects.filter(reviewer=kept.ranking.reviewer).values_list("pk", "label"))
    newest = kept.ranking.submitted.last()
    return page(
        request,
        here,
        "reviewing/receipt",
        kept=kept,
        newest=newest,
        is_newest=newest == kept,
        order=[[labels.get(pk, "?") for pk in tier] for tier in kept.tiers],
        device_key=device_key(here, here.member),
    )


@allowed(Action.SEE_REVIEWS)
def review(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """One submission, as large as the window; `?part` is what the script puts into the page of all."""
    review: Review = here.objects["review"]
    if stands_before_reviewing(here.assignment, here.member):
        return redirect("reviews", here.course.key, here.assignment.key)
    if review.state == Review.State.OPEN:
        Review.objects.filter(pk=review.pk, opened_at=None).update(opened_at=timezone.now())
    template = "reviewing/_review" if "part" in request.GET else "reviewing/review"
    return page(request, here, template, **submission_context(review), back=desk_of(here, here.member).page)


def submission_context(review: Review) -> dict[str, Any]:
    is_open = review.state == Review.State.OPEN
    return {
        "review": review,
        "is_open": is_open,
        "shown": shown_of_review(review) if is_open else [],
        "reasons": Report.Reason.choices,
    }


# -- the page -----------------------------------------------------------------------------------------------


def ranking_page(
    request: HttpRequest,
    here: RequestScope,
    reviewer: Membership,
    status: int = 200,
    sent: RankingInput | None = None,
    **context: Any,
) -> HttpResponse:
    """The page of a reviewer; `sent` fills the form with what could not be taken."""
    sheet, desk = sheet_of(here.assignment, reviewer, sent), desk_of(here, reviewer)
    rubric_state = _rubric_state(sheet)
    return page(
        request,
        here,
        "reviewing/reviews",
        status,
        sheet=sheet,
        places=range(1, len(sheet.items) + 1),
        field_length=ranking_input.FIELD,
        rubric_state=rubric_state,
        rubric_counts=bool(rubric_state) and plan_of(here.assignment).rubric_counts,
        desk=desk,
        may_rank=desk.may_rank,
        data=json.dumps(_for_script(here, reviewer, sheet)),
        **context,
    )


def _rubric_state(sheet: ReviewSheet) -> str:
    """How much of the rubric is done; empty where there is none. The script goes on with it."""
    choices = [choice for item in sheet.items for choice in item.choices]
    chosen = sum(choice.level is not None for choice in choices)
    return texts()["rubric"].format(chosen=chosen, all=len(choices)) if choices else ""


def _for_script(here: RequestScope, reviewer: Membership, sheet: ReviewSheet) -> dict[str, Any]:
    desk = desk_of(here, reviewer)
    return {
        "key": device_key(here, reviewer),
        "save": desk.save,
        "signIn": f"{reverse('sign-in')}?next={desk.page}",
        "tiers": sheet.tiers,
        "shown": sheet.shown,
        "version": sheet.version,
        "changed": sheet.is_changed,
        "ties": here.assignment.ties_allowed,
        "minWords": here.assignment.min_comment_words,
        "submissions": [item.label for item in sheet.items],
        "texts": texts(),
    }


@dataclass(frozen=True, slots=True)
class Desk:
    """Where the forms of the page go: the reviewer's own, or those of staff who rank in their place."""

    page: str  # the submissions stand below it, by the key of the review
    save: str
    submit: str
    may_rank: bool
    in_place_of: Membership | None = None


def desk_of(here: RequestScope, reviewer: Membership) -> Desk:
    """Whose page it is decides."""
    keys: list[Any] = [here.course.key, here.assignment.key]
    names, in_place_of, action = ("reviews", "reviews-save", "reviews-submit"), None, Action.RANK
    if here.role != Role.STUDENT:
        keys.append(reviewer.pk)
        names, in_place_of, action = (
            ("rank-for", "rank-for-save", "rank-for-submit"),
            reviewer,
            Action.RANK_FOR_REVIEWER,
        )
    page, save, submit = (reverse(name, args=keys) for name in names)
    return Desk(page, save, submit, here.may(action), in_place_of)


def device_key(here: RequestScope, reviewer: Membership) -> str:
    """Of the copy on the device: per person, assignment and ranking."""
    return f"peerage-ranking-{here.person.pk}-{here.assignment.key}-{reviewer.pk}"


# -- saving -------------------------------------------------------------------------------------------------


def save_form(request: HttpRequest, here: RequestScope, reviewer: Membership) -> SavedRanking | HttpResponse:
    """What was saved, or the page that says why not, with everything that was typed."""
    try:
        sent = ranking_input.from_form(request.POST.dict())
        saved = services.save(assignment=here.assignment, reviewer=reviewer, sent=sent)
    except Refused as error:
        typed = ranking_input.as_typed(request.POST.dict())
        return ranking_page(request, here, reviewer, 422, typed, problem=str(error))
    if saved.in_conflict:
        typed = RankingInput(sent.tiers, saved.version)  # comments are saved
        return ranking_page(request, here, reviewer, 409, typed, other=saved.tiers)
    return saved


def save_for_script(request: HttpRequest, here: RequestScope, reviewer: Membership) -> JsonResponse:
    try:
        sent = ranking_input.from_json(request.body)
        saved = services.save(assignment=here.assignment, reviewer=reviewer, sent=sent)
    except Refused as error:
        return JsonResponse({"code": "refused", "detail": str(error)}, status=422)
    return JsonResponse(answer_of(saved), status=409 if saved.in_conflict else 200)


def answer_of(saved: SavedRanking) -> dict[str, Any]:
    return {
        "code": "conflict" if saved.in_conflict else "saved",
        "tiers": saved.tiers,
        "version": saved.version,
        "changed": saved.is_changed,
        "submissions": saved.submissions,
        "comments": {
            ranking_input.field_name(comment.label, comment.prompt): {
                "text": comment.text,
                "version": comment.version,
            }
            for comment in saved.comments
        }
        | {
            ranking_input.level_name(choice.label, choice.criterion): {
                "text": "" if choice.level is None else str(choice.level),
                "version": choice.version,
            }
            for choice in saved.levels
        },
    }


def _practice_first(request: HttpRequest, here: RequestScope) -> HttpResponse:
    text = _("Finish the practice round first.")
    if request.content_type == "application/json":
        return JsonResponse({"code": "practice", "detail": text}, status=409)
    return page(request, here, "practice/first", 409)


# -- Staff rank in a reviewer's place, and their own lists: the same page, under another rule ---------


@allowed(Action.RANK_FOR_REVIEWER)
def review_for(request: HttpRequest, here: RequestScope) -> HttpResponse:
    return ranking_page(request, here, _reviewer(here))


@allowed(Action.RANK_FOR_REVIEWER, "POST", keeps_typed=True)
def save_for(request: HttpRequest, here: RequestScope) -> HttpResponse:
    if request.content_type == "application/json":
        return save_for_script(request, here, _reviewer(here))
    saved = save_form(request, here, _reviewer(here))
    if isinstance(saved, HttpResponse):
        return saved
    messages.success(request, _("Saved, but not submitted yet."))
    return redirect(desk_of(here, _reviewer(here)).page)


@allowed(Action.RANK_FOR_REVIEWER, "POST", keeps_typed=True)
def submit_for(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """Submit the ranking; it counts as the reviewer's, and the activity log says who did it."""
    reviewer = _reviewer(here)
    saved = save_form(request, here, reviewer)
    if isinstance(saved, HttpResponse):
        return saved
    try:
        ranking_services.submit_ranking(
            assignment=here.assignment,
            reviewer=reviewer,
            by=here.person,
            action=Action.RANK_FOR_REVIEWER,
            names_are_fine="names_are_fine" in request.POST,
        )
    except ranking_services.Incomplete as error:
        words = [
            class_texts.missing(missing.code, missing.labels, missing.least) for missing in error.missing
        ]
        return ranking_page(request, here, reviewer, 422, problems=words, problem=str(error))
    except NamesFound as error:
        return ranking_page(request, here, reviewer, 422, problem=str(error), names=error.names)
    except Refused as error:
        return ranking_page(request, here, reviewer, 422, problem=str(error))
    text = _("Submitted on behalf of %(name)s.") % {"name": reviewer.shown_name}
    messages.success(request, text)
    return redirect("allocation-matrix", here.course.key, here.assignment.key)


@allowed(Action.RANK_FOR_REVIEWER)
def submission_for(request: HttpRequest, here: RequestScope) -> HttpResponse:
    """One submission of the list, as its reviewer sees it, under the addresses of staff."""
    review: Review = here.objects["review"]
    if review.reviewer_id != _reviewer(here).pk:
        raise Http404
    version = current_version(review.submission)
    seen = shown_of_version(version, addresses_of_staff(version)) if version is not None else []
    context = {**submission_context(review), "shown": seen, "back": desk_of(here, review.reviewer).page}
    template = "reviewing/_review" if "part" in request.GET else "reviewing/review"
    return page(request, here, template, **context)


def _reviewer(here: RequestScope) -> Membership:
    member: Membership = here.objects["member"]
    return member


# -- how good their own submission is ------------------------------------------------------------------


class SelfReviewForm(forms.Form):
    rank = forms.TypedChoiceField(
        label=gettext_lazy("Where does your own submission belong?"), coerce=int, widget=forms.RadioSelect
    )
    comment = forms.CharField(
        label=gettext_lazy("What is good about your submission, and what would make it better?"),
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 6}),
    )

    def __init__(self, *args: Any, sheet: SelfReviewSheet, **named: Any) -> None:
        super().__init__(*args, **named)
        rank: Any = self.fields["rank"]
        rank.choices = list(enumerate(_choices(sheet.tiers), start=1))


def _choices(tiers: list[list[str]]) -> list[str]:
    """One between any two neighbours of the ranking, and one at each end."""
    names = [" = ".join(tier) for tier in tiers]
    if not names:
        return [_("Rank 1")]
    between = [
        _("Rank %(rank)d, between %(above)s and %(below)s") % {"rank": rank, "above": above, "below": below}
        for rank, (above, below) in enumerate(pairwise(names), start=2)
    ]
    first = _("Rank 1, better than %(below)s") % {"below": names[0]}
    last = _("Rank %(rank)d, not as good as %(above)s") % {"rank": len(names) + 1, "above": names[-1]}
    return [first, *between, last]


@allowed(Action.REVIEW_OWN_SUBMISSION, "GET", "POST", keeps_typed=True)
def self_review(request: HttpRequest, here: RequestScope) -> HttpResponse:
    sheet = self_review_sheet(here.assignment, here.member)
    if sheet is None:
        return page(request, here, "self_reviews/self_review", 409 if request.method == "POST" else 200)
    kept = sheet.kept
    initial = {"rank": kept.rank, "comment": kept.comment} if kept is not None else {}
    form = SelfReviewForm(request.POST or None, initial=initial, sheet=sheet)
    if request.method == "POST" and form.is_valid():
        with refusal_on(form):
            save_self_review(assignment=here.assignment, member=here.member, **form.cleaned_data)
            messages.success(request, _("Your self-review is saved. It does not count for your grade."))
            return redirect("assignment", here.course.key, here.assignment.key)
    status = 422 if form.errors else 200
    return page(request, here, "self_reviews/self_review", status, form=form)

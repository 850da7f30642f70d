"""What reviewers of an example class have ranked and written so far, through the services they use."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone

from peerage_web.classes.judgement import Sent, Written
from peerage_web.classes.models import Assignment, FeedbackPrompt, Membership, Review
from peerage_web.classes.services.handing_in_rankings import hand_in_ranking
from peerage_web.classes.services.ranking import save

PRAISE = ("The question is clear.", "I could follow every step.", "The second explanation surprised me.")
WISHES = ("A picture would help.", "Say how you would measure it.", "The ending comes too soon.")


def fill(
    assignment: Assignment, members: Sequence[Membership], *, no_show: Membership, finished: bool
) -> None:
    """Half have handed in (all, where it is over), a third has begun, the others have not; one never does."""
    prompts = list(assignment.prompts.order_by("position"))
    for number, member in enumerate(members):
        mine = Review.objects.filter(assignment=assignment, reviewer=member, state=Review.State.OPEN)
        reviews = list(mine.order_by("position"))
        idle = member.pk == no_show.pk or (not finished and number % 6 == 5)
        if not reviews or idle:
            continue
        mine.update(opened_at=timezone.now())
        whole = finished or number % 6 < 3
        save(assignment=assignment, reviewer=member, sent=_sent(reviews, prompts, number, whole))
        if whole:
            hand_in_ranking(assignment=assignment, reviewer=member, by=member.person)


def _sent(reviews: list[Review], prompts: list[FeedbackPrompt], number: int, whole: bool) -> Sent:
    """Works in an order that many share; a tie now and then; half of the list where it is a draft."""
    order = sorted(reviews, key=lambda one: (-(one.work_id % 7), one.pk))
    placed = order if whole else order[: len(order) // 2]
    bins = [[one.label] for one in placed]
    if number % 4 == 0 and len(bins) > 2:
        bins[1:3] = [sorted([*bins[1], *bins[2]])]
    comments = [
        Written(one.label, prompt.pk, _text(prompt, one.pk), 0) for one in placed for prompt in prompts
    ]
    return Sent(bins, 0, tuple(comments))


def _text(prompt: FeedbackPrompt, number: int) -> str:
    texts = PRAISE if prompt.position == 1 else WISHES
    return texts[number % len(texts)]

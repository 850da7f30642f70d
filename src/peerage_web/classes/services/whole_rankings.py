"""A whole ranking at once, from a program: saved and handed in as the page does it, in a reviewer's place."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.judgement import Sent, Written
from peerage_web.classes.models import Assignment, HandedInRanking, Membership, Ranking
from peerage_web.classes.queries.rankings import open_reviews
from peerage_web.classes.rules import Action
from peerage_web.classes.services.handing_in_rankings import hand_in_ranking
from peerage_web.classes.services.ranking import ranking_lock, save
from peerage_web.shared.errors import Refused

NOT_SEEN = -1  # no version: what stands there is kept beside what comes


def put_ranking(
    *,
    assignment: Assignment,
    reviewer: Membership,
    by: Person,
    order: Sequence[Sequence[int]],
    comments: Sequence[tuple[int, int | None, str]],
) -> HandedInRanking:
    """Hand in this order of works, best first, and these comments (work, prompt, text).

    The order takes the place of what the reviewer had begun; comments are added to theirs.
    """
    with ranking_lock(assignment, reviewer):
        labels = {one.work_id: one.label for one in open_reviews(assignment, reviewer)}
        _refuse(order, comments, labels)
        ranking = Ranking.objects.filter(assignment=assignment, reviewer=reviewer).first()
        sent = Sent(
            bins=[sorted(labels[work] for work in place) for place in order if place],
            version=ranking.version if ranking is not None else 0,
            comments=tuple(Written(labels[work], prompt, text, NOT_SEEN) for work, prompt, text in comments),
        )
        save(assignment=assignment, reviewer=reviewer, sent=sent)
        return hand_in_ranking(assignment=assignment, reviewer=reviewer, by=by, action=Action.JUDGE_FOR)


def _refuse(
    order: Sequence[Sequence[int]],
    comments: Sequence[tuple[int, int | None, str]],
    labels: dict[int, str],
) -> None:
    ranked = [work for place in order for work in place]
    strange = sorted({*ranked, *(work for work, _prompt, _text in comments)} - labels.keys())
    if strange:
        text = _("Work %(work)d is not among those that this reviewer holds: %(held)s.")
        held = ", ".join(map(str, sorted(labels)))
        raise Refused(text % {"work": strange[0], "held": held or "–"})
    twice = sorted({work for work in ranked if ranked.count(work) > 1})
    if twice:
        raise Refused(_("Work %(work)d has two places.") % {"work": twice[0]})

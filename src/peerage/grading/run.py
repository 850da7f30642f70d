"""From feedback to grades: the one place where grades are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage.checking import check
from peerage.errors import MethodError
from peerage.grading import attention
from peerage.grading.comparison import compare_methods, wanted
from peerage.grading.fitting import Prior, fit_method, known
from peerage.grading.graders import grader_frame
from peerage.grading.items import item_frame, pointed
from peerage.grading.letters import Letters, decide, parse_letters
from peerage.grading.points import Scale, parse_scale
from peerage.grading.provenance import provenance_of
from peerage.grading.ranking import ranks, reading_order
from peerage.grading.result import GradingResult
from peerage.grading.sentences import all_sentences
from peerage.grading.staff import read_anchors, validate
from peerage.roster import read_roster

if TYPE_CHECKING:
    from peerage.feedback import Feedback
    from peerage.models import Estimator
    from peerage.roster import RosterSource


def grade(
    feedback: Feedback,
    *,
    method: str | Estimator | None = None,
    params: Mapping[str, Any] | None = None,
    prior: Prior = "auto",
    scale: str | Scale | None = None,
    peer_scale: str | Scale | None = None,
    letters: str | Letters | None = None,
    anchors: str | Path | pl.DataFrame | None = None,
    anchors_as_evidence: bool = False,
    staff_budget: int = 0,
    interval: float = 0.9,
    bootstrap: int = 0,
    compare: Iterable[str] = (),
    owners: RosterSource | None = None,
    seed: int = 0,
    on_step: Callable[[str], None] = lambda step: None,
    source: Mapping[str, Any] | None = None,
) -> GradingResult:
    """Grades of a class, how sure they are, who graded well, and where staff should look.

    Parameters
    ----------
    method : a code such as "pl+g", an estimator, or None for the method that suits the feedback.
    params : parameters of the method, such as ``{"score_variance": 3.0}``.
    prior : "learn" the method's priors from the class, take them as "given", or "auto": learn them for a
        method that Peerage chose.
    scale : "LOW:HIGH", the scale of the points; without it there are points only with anchors.
    peer_scale : "LOW:HIGH", the scale graders used, where it is not that of the points.
    letters : quotas "A:20%,B:30%,C:50%" or cut-points "A>=85,B>=70,C".
    anchors : staff grades of some items: a file or table with columns item and score, perhaps source.
    anchors_as_evidence : whether items that staff graded get that grade, and others learn from it; else the
        staff grades only say what peers' scores are worth.
    staff_budget : how many items staff could grade; the lists of what to look at have that many rows.
    interval : the level of all intervals.
    bootstrap : resamples of graders to take uncertainty from; 0 for the method's own way.
    compare : codes of methods to hold beside it, or "all"; simple averages are always there.
    owners : who made what, for the pre-flight.
    seed : of everything random. on_step : called with the name of each step before it starts.
    source : what is known of where the feedback came from, kept in the result.

    >>> from peerage import Feedback, grade
    >>> feedback = Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["x", "y"]), ("cyd", ["y", "x"])])
    >>> grade(feedback, scale="0:10").items["item"].to_list()
    ['x', 'y']
    """
    if not 0.01 <= interval <= 0.999:  # beyond that, a thousand draws cannot tell
        raise MethodError(f"interval must be between 0.01 and 0.999, such as 0.9, not {interval!r}")
    scale = parse_scale(scale) if isinstance(scale, str) else scale
    peer_scale = parse_scale(peer_scale, "peer scale") if isinstance(peer_scale, str) else peer_scale
    rule = parse_letters(letters) if isinstance(letters, str) else letters
    staff = None if anchors is None else read_anchors(anchors, feedback)
    people = None if owners is None else read_roster(owners).for_class(feedback.task_labels)
    preflight = check(feedback, people, on_step=on_step)
    on_step("estimating scores")
    used, fitted = fit_method(feedback, method, dict(params or {}), prior)
    on_step("working out how sure they are")
    posterior = known(fitted, bootstrap=bootstrap, seed=seed, on_step=on_step)

    places = ranks(feedback, fitted.scores_)
    order = reading_order(feedback, places)
    validity = None if staff is None else validate(fitted, posterior.score_se, staff, level=interval)
    graded = pointed(
        fitted, posterior.draws, scale, peer_scale, validity, seed, as_evidence=anchors_as_evidence
    )
    decided = None
    if rule is not None:
        by = places if not anchors_as_evidence or graded.points is None else ranks(feedback, graded.points)
        decided = decide(rule, graded.points, graded.draws, by, feedback.task_starts)
    items = item_frame(fitted, posterior, order, graded, validity, decided, interval)
    on_step("looking at graders")
    graders = grader_frame(fitted, posterior, interval=interval, seed=seed)
    comparison = compare_methods(fitted, used.code, order, wanted(feedback, used.code, compare), on_step)
    on_step("finding where staff should look")
    done = np.empty(0, dtype=np.int64) if staff is None else staff.items
    staff_list = attention.staff_list(feedback, graded, places, decided, done, staff_budget)
    return GradingResult(
        method=used,
        fitted=fitted,
        posterior=posterior,
        preflight=preflight,
        items=items,
        order=order,
        graders=graders,
        staff_list=staff_list,
        pairs_list=attention.pairs_list(feedback, graded.draws, places, order, decided, staff_budget),
        next_reviews=attention.next_reviews(
            feedback, posterior.draws, places, fitted.reliabilities_, people, staff_budget
        ),
        comparison=comparison,
        validity=validity,
        scale=scale,
        letters=rule,
        letter_chances=None if decided is None else decided.chances[order],
        sentences=all_sentences(
            used, fitted, posterior, validity, graded, decided, items, graders, comparison, staff_list,
            interval,
        ),
        provenance=provenance_of(
            used, fitted, posterior, source or {}, seed=seed, interval=interval, scale=scale,
            peer_scale=peer_scale, letters=rule, bootstrap=bootstrap, staff_budget=staff_budget,
            anchors_as_evidence=anchors_as_evidence,
        ),
        interval=interval,
    )  # fmt: skip

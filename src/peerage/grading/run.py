"""From feedback to grades: the one place where grades are made."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage.checking.own_work import select_reviews
from peerage.checking.preflight import check_selection
from peerage.grading import attention
from peerage.grading.class_figures import class_figures
from peerage.grading.comparison import compare_methods, wanted
from peerage.grading.criteria import criteria_sentence, graded_criteria, with_criteria
from peerage.grading.fitting import fit_method, known
from peerage.grading.graders import grader_frame, trust
from peerage.grading.items import as_shown, item_frame, pointed
from peerage.grading.letters import decide
from peerage.grading.options import GradingOptions
from peerage.grading.provenance import provenance_of
from peerage.grading.ranking import ranks, reading_order
from peerage.grading.result import GradingResult
from peerage.grading.sentences import all_sentences
from peerage.grading.staff.anchors import read_anchors
from peerage.grading.staff.validity import validate
from peerage.grading.strategic import strategic_findings, strategic_sentence
from peerage.grading.streams import streams
from peerage.models.leave_out import scores_without
from peerage.reading.columns import SYNONYMS
from peerage.reading.options import ReadingOptions
from peerage.roster.input import read_input

if TYPE_CHECKING:
    from peerage.feedback.container import Feedback
    from peerage.grading.staff.anchors import Anchors
    from peerage.grading.staff.validity import Validity
    from peerage.models.base import Estimator
    from peerage.roster.reader import RosterSource
    from peerage.uncertainty.posterior import Posterior


def grade(
    feedback: Feedback | Any,
    *,
    anchors: str | Path | pl.DataFrame | None = None,
    owners: RosterSource | None = None,
    on_step: Callable[[str], None] = lambda step: None,
    source: Mapping[str, Any] | None = None,
    cluster: Any = None,
    **options: Any,
) -> GradingResult:
    """Grades of a class, how sure they are, who graded well, and where staff should look.

    Parameters
    ----------
    feedback : a Feedback, or a file or table that :func:`peerage.read` can read without being told more;
        where it must be told, ``grade(read("reviews.csv", item="Paper"))``.
    anchors : staff grades of some items: a file or table with columns item and score, perhaps source.
    owners : who made what: reviews of one's own work are left out, see `own_work`.
    on_step : called with the name of each step before it starts.
    source : what is known of where the feedback came from, kept in the result.
    cluster : where the fit, the bootstrap and the comparison are done, as in :func:`peerage.fit`; the
        result is the same. All else is done here, in time linear in the reviews.
    **options : those of :class:`peerage.GradingOptions`: method, params, prior, own_work, seed, scale,
        peer_scale, letters, interval, bootstrap, compare, staff_budget, anchors_as_evidence.

    >>> from peerage import Feedback, grade
    >>> feedback = Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["x", "y"]), ("cyd", ["y", "x"])])
    >>> grade(feedback, scale=(0, 10)).items["item"].to_list()
    ['x', 'y']
    """
    _refuse_unknown(options)
    wishes = GradingOptions(**options)
    more: dict[str, Any] = {"on_step": on_step, "source": source, "cluster": cluster}
    return grade_with(feedback, wishes, anchors=anchors, owners=owners, **more)


def _refuse_unknown(options: Mapping[str, Any]) -> None:
    """A misspelt option, or one of reading, with a word on what to write."""
    known = GradingOptions.table()
    for name in options:
        if name in known:
            continue
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
        if name in ReadingOptions.table() or name in SYNONYMS:
            hint = f"it says how to read a file: grade(read(file, {name}=…))"
        raise TypeError(f"grade() has no option {name!r}; {hint}")


def _signature() -> inspect.Signature:
    """Every option by its name, so that `help(grade)` and editors show them."""
    own = list(inspect.signature(grade).parameters.values())[:-1]
    options = inspect.signature(GradingOptions).parameters.values()
    return inspect.Signature([*own, *options], return_annotation="GradingResult")


grade.__signature__ = _signature()  # type: ignore[attr-defined]


def grade_with(
    feedback: Feedback | Any,
    options: GradingOptions,
    *,
    anchors: str | Path | pl.DataFrame | None = None,
    owners: RosterSource | None = None,
    on_step: Callable[[str], None] = lambda step: None,
    source: Mapping[str, Any] | None = None,
    cluster: Any = None,
) -> GradingResult:
    """What :func:`grade` does, with the options in one object."""
    options.check()
    scale, peer_scale, rule = options.read_scale(), options.read_peer_scale(), options.read_letters()
    interval, seed, budget = options.interval, options.seed, options.staff_budget
    given = read_input(feedback, owners)
    people = None if given.roster is None else given.roster.for_feedback(given.feedback)
    counted = select_reviews(given.feedback, people, options.own_work)
    feedback = counted.feedback
    staff = None if anchors is None else read_anchors(anchors, feedback)
    preflight = check_selection(counted, people, on_step=on_step)
    random = streams(seed)
    on_step("estimating scores")
    used, fitted = fit_method(feedback, options.method, dict(options.params or {}), options.prior, cluster)
    on_step("working out how sure they are")
    posterior = known(fitted, bootstrap=options.bootstrap, seed=seed, on_step=on_step, cluster=cluster)

    places = ranks(feedback, fitted.scores_)
    order = reading_order(feedback, places)
    validity = None if staff is None else _validity(fitted, posterior, staff, options)
    as_evidence = options.anchors_as_evidence
    graded = pointed(
        fitted, posterior, scale, peer_scale, validity, random.staff,
        as_evidence=as_evidence, interval=interval,
    )  # fmt: skip
    graded = as_shown(graded, rule)
    decided = None
    if rule is not None:
        by = places if not as_evidence or graded.points is None else ranks(feedback, graded.points)
        decided = decide(rule, graded.points, graded.draws, by, feedback.task_starts)
    items = item_frame(fitted, posterior, order, graded, validity, decided, interval)
    criteria = graded_criteria(
        given.feedback.criteria,
        options,
        lambda one, plain: grade_with(one.feedback, plain, owners=given.roster),
        on_step,
    )
    items = with_criteria(items, criteria)
    on_step("looking at graders")
    without = scores_without(fitted)
    graders = grader_frame(fitted, posterior, interval=interval, others=without)
    strategic = strategic_findings(fitted, people, without)
    others = wanted(feedback, used.code, options.compare)
    comparison = compare_methods(fitted, used.code, order, others, on_step, cluster)
    on_step("finding where staff should look")
    done = np.empty(0, dtype=np.int64) if staff is None else staff.items
    staff_list = attention.staff_list(feedback, posterior, graded, places, decided, done, budget)
    return GradingResult(
        method=used,
        fitted=fitted,
        posterior=posterior,
        preflight=preflight,
        left_out=counted.left_out,
        items=items,
        order=order,
        graders=graders,
        class_figures=class_figures(fitted, posterior, interval),
        strategic=strategic,
        staff_list=staff_list,
        pairs_list=attention.pairs_list(feedback, posterior, graded, places, order, decided, budget),
        next_reviews=attention.next_reviews(
            feedback, posterior, places, trust(fitted, graders), people, budget,
            attention.doubtful(graders, preflight),
        ),
        comparison=comparison,
        validity=validity,
        scale=scale,
        letters=rule,
        letter_chances=None if decided is None else decided.chances[order],
        sentences=({"criteria": criteria_sentence(criteria)} if criteria else {}) | all_sentences(
            used, fitted, posterior, validity, graded, decided, items, graders, comparison, staff_list,
            interval, counted.left_out,
        ) | strategic_sentence(strategic),
        provenance=provenance_of(
            used, fitted, posterior, source or given.source, options, counted.left_out
        ),
        interval=interval,
        criteria=criteria,
    )  # fmt: skip


def _validity(fitted: Estimator, posterior: Posterior, staff: Anchors, options: GradingOptions) -> Validity:
    scales = {"scale": options.read_scale(), "peer_scale": options.read_peer_scale()}
    return validate(fitted, posterior.score_se, staff, level=options.interval, **scales)

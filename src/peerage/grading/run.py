"""From feedback to grades: every step of a grading run, and the record of what made its result."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from peerage._options import named
from peerage._version import __version__
from peerage.checking.preflight import check_selection
from peerage.checking.self_reviews import leave_out, review_rows, select_reviews
from peerage.errors import DataError
from peerage.grading import attention
from peerage.grading.class_figures import class_figures
from peerage.grading.comparison import compare_methods, methods_to_compare
from peerage.grading.fitting import estimate_uncertainty, fit_method, unfitted_method
from peerage.grading.graders import grader_frame, trust
from peerage.grading.items import compute_points, item_frame, item_ranks, reading_order, round_points
from peerage.grading.letters import assign_letters
from peerage.grading.misfit import STREAM, measure_misfit
from peerage.grading.options import GradingOptions
from peerage.grading.points import points_rule
from peerage.grading.result import GradedCriterion, GradingResult, MethodUsed
from peerage.grading.sentences import all_sentences, criteria_sentence
from peerage.grading.staff.anchors import read_anchors
from peerage.grading.staff.validity import validate
from peerage.grading.strategic import find_strategic
from peerage.models.leave_out import scores_without
from peerage.reading.reading import Reading
from peerage.reading.vocabulary import SYNONYMS
from peerage.roster.input import read_input
from peerage.uncertainty.chance import MIXTURE_STREAM, agreement_by_chance

if TYPE_CHECKING:
    from peerage.feedback.container import Criterion, Feedback
    from peerage.grading.points import PointsRule
    from peerage.models.base import Estimator
    from peerage.roster.container import Roster
    from peerage.roster.reader import RosterSource
    from peerage.uncertainty.posterior import Posterior

# The posterior spawns children of the seed, numbered from 0: ours are children of another branch.
BRANCH = 0x67726164
# Recorded elsewhere: what the method became, with its parameters and priors, and the methods beside it.
ELSEWHERE = ("method", "params", "prior", "seed", "compare")


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
    owners : who made what: reviews of one's own work are left out, see `self_reviews`.
    on_step : called with the name of each step before it starts.
    source : what is known of where the feedback came from, kept in the result.
    cluster : where the fit, the bootstrap and the comparison are done, as in :func:`peerage.fit`; the
        result is the same. All else is done here, in time linear in the reviews.
    **options : those of :class:`peerage.GradingOptions`: method, params, prior, self_reviews, seed, scale,
        peer_scale, curve, letters, complete, interval, bootstrap, compare, staff_budget,
        anchors_as_evidence.

    >>> from peerage import Feedback, grade
    >>> feedback = Feedback.from_orders([("ada", ["x", "y"]), ("bob", ["x", "y"]), ("cyd", ["y", "x"])])
    >>> grade(feedback).items["item"].to_list()
    ['x', 'y']
    >>> grade(feedback, scale=(0, 10), curve=(6, 2)).items["points"].to_list()
    [8.0, 4.0]
    """
    _refuse_unknown(options)
    more: dict[str, Any] = {"on_step": on_step, "source": source, "cluster": cluster}
    return grade_with(feedback, GradingOptions(**options), anchors=anchors, owners=owners, **more)


def _refuse_unknown(options: Mapping[str, Any]) -> None:
    """A misspelt option, or one of reading, with a word on what to write."""
    names = GradingOptions.table()
    for name in options:
        if name in names:
            continue
        near = get_close_matches(name, names, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
        if name in Reading.table() or name in SYNONYMS:
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
    curve = options.read_curve()
    interval, seed, budget = options.interval, options.seed, options.staff_budget
    whole = read_input(feedback, owners)
    people = None if whole.roster is None else whole.roster.for_feedback(whole.feedback)
    counted = select_reviews(whole.feedback, people, options.self_reviews)
    feedback = counted.feedback
    staff = None if anchors is None else read_anchors(anchors, feedback)
    made_by = _points_rule(feedback, options, has_staff_grades=staff is not None)
    preflight = check_selection(counted, people, on_step=on_step)
    on_step("estimating scores")
    used, fitted = fit_method(feedback, options.method, dict(options.params or {}), options.prior, cluster)
    without = scores_without(fitted)
    strategic = find_strategic(fitted, people, without)
    left_out = counted.left_out
    if options.favours == "drop" and len(strategic.inside):
        inside = review_rows(feedback, strategic.inside).with_columns(known_by=pl.lit("favours"))
        left_out = pl.concat([left_out, inside])
        feedback = leave_out(feedback, strategic.inside)
        used, fitted = fit_method(
            feedback, options.method, dict(options.params or {}), options.prior, cluster
        )
        without = scores_without(fitted)
    on_step("working out how sure they are")
    sections = None if people is None else people.item_sections(feedback)
    posterior = estimate_uncertainty(
        fitted,
        chosen=used.chosen and not options.params,
        bootstrap=options.bootstrap,
        seed=seed,
        on_step=on_step,
        sections=None if sections is None else sections.to_physical().to_numpy().astype(np.int64),
        cluster=cluster,
    )
    misfit = measure_misfit(posterior.at_mean(), posterior)
    if posterior.source != "bootstrap":  # resamples of graders show what they disagree about by themselves
        posterior = posterior.widened(misfit.widening, np.random.default_rng(STREAM))
    chance = list(agreement_by_chance(feedback))
    posterior = posterior.allowing_for_chance(
        np.array([test.probability for test in chance]), np.random.default_rng(MIXTURE_STREAM)
    )
    reported = posterior.at_mean()  # every number that is handed out comes from this one posterior
    ranks = item_ranks(feedback, reported.scores_)
    order = reading_order(feedback, ranks)
    validity = None
    if staff is not None:
        validity = validate(
            reported, posterior.score_se, staff, level=interval, scale=scale, peer_scale=peer_scale
        )
    as_evidence = options.anchors_as_evidence
    item_points = compute_points(
        made_by, reported, posterior, scale, peer_scale, curve, validity, staff_stream(seed),
        as_evidence=as_evidence, interval=interval,
    )  # fmt: skip
    item_points = round_points(item_points, rule)
    letter_grades = None
    if rule is not None:
        points = item_points.points
        by = ranks if not as_evidence or points is None else item_ranks(feedback, points)
        letter_grades = assign_letters(rule, points, item_points.draws, by, feedback.task_starts)
    items = item_frame(
        reported, posterior, order, item_points, validity, letter_grades, interval, misfit,
        complete=options.complete,
    )  # fmt: skip
    criteria = _grade_criteria(whole.feedback.criteria, options, whole.roster, on_step)
    items = _with_criteria(items, criteria)
    on_step("looking at graders")
    graders = grader_frame(reported, posterior, misfit, interval=interval, others=without)
    others = methods_to_compare(feedback, used.code, options.compare)
    comparison = compare_methods(reported, used.code, order, others, on_step, cluster)
    on_step("finding where staff should look")
    done = np.empty(0, dtype=np.int64) if staff is None else staff.items
    first = np.flatnonzero(misfit.disputed)[np.argsort(-misfit.infit[misfit.disputed], kind="stable")]
    staff_list = attention.staff_list(
        feedback, posterior, item_points, ranks, letter_grades, done, budget, first
    )
    return GradingResult(
        method=used,
        fitted=fitted,
        posterior=posterior,
        preflight=preflight,
        left_out=left_out,
        items=items,
        order=order,
        graders=graders,
        class_figures=class_figures(reported, posterior, interval),
        strategic=strategic.table,
        staff_list=staff_list,
        pairs_list=attention.pairs_list(
            feedback, posterior, item_points, ranks, order, letter_grades, budget
        ),
        next_reviews=attention.next_reviews(
            feedback, posterior, ranks, trust(reported, graders), people, budget,
            attention.doubtful_graders(graders, preflight),
        ),
        comparison=comparison,
        validity=validity,
        points_rule=made_by,
        scale=scale,
        letters=rule,
        letter_chances=None if letter_grades is None else letter_grades.chances[order],
        sentences=({"criteria": criteria_sentence(criteria)} if criteria else {}) | all_sentences(
            used, reported, posterior, validity, item_points, letter_grades, items, graders, comparison,
            staff_list, interval, left_out, chance,
        ) | strategic.sentence(options.favours),
        provenance=_provenance(used, fitted, posterior, source or whole.source, options, left_out),
        interval=interval,
        criteria=criteria,
    )  # fmt: skip


def _points_rule(feedback: Feedback, options: GradingOptions, *, has_staff_grades: bool) -> PointsRule:
    """What makes the points, before anything is estimated; refused where nothing does."""
    if options.complete and has_staff_grades:
        raise DataError(f"{named('complete', True)} gives no points: leave out {named('anchors')}")
    estimator = unfitted_method(feedback, options.method, dict(options.params or {}))
    return points_rule(
        estimator.score_scale,
        has_staff_grades=has_staff_grades,
        scale=options.read_scale(),
        peer_scale=options.read_peer_scale(),
        curve=options.read_curve(),
        letters=options.read_letters(),
    )


def staff_stream(seed: int) -> np.random.Generator:
    """For what staff might have graded: the map to their scale and the gap varied, noise of staff grades.

    A stream of its own, apart from the draws of the posterior, which take the seed itself. What is said of a
    grader draws from neither: the seed must not change who is named.
    """
    (child,) = np.random.SeedSequence(seed, spawn_key=(BRANCH,)).spawn(1)
    return np.random.default_rng(child)


# -- criteria -----------------------------------------------------------------------------------------


def _grade_criteria(
    criteria: Sequence[Criterion],
    options: GradingOptions,
    roster: Roster | None,
    on_step: Callable[[str], None],
) -> tuple[GradedCriterion, ...]:
    """Grade each on its own; scales, letters and staff grades are those of the whole."""
    plain = replace(
        options,
        scale=None,
        peer_scale=None,
        curve=None,
        letters=None,
        complete=False,
        compare=(),
        staff_budget=0,
        anchors_as_evidence=False,
    )
    graded = []
    for criterion in criteria:
        on_step(f"grading {criterion.name} on its own")
        result = grade_with(criterion.feedback, plain, owners=roster)
        graded.append(GradedCriterion(criterion.name, criterion.weight, result))
    return tuple(graded)


def _with_criteria(items: pl.DataFrame, criteria: Sequence[GradedCriterion]) -> pl.DataFrame:
    """The table of grades with a score and a rank by every criterion."""
    for criterion in criteria:
        columns = [pl.col(what).alias(criterion.column(what)) for what in ("score", "rank")]
        part = criterion.result.items.select("task", "item", *columns)
        items = items.join(part, on=["task", "item"], how="left", maintain_order="left")
    return items


# -- provenance ---------------------------------------------------------------------------------------


def _provenance(
    method: MethodUsed,
    fitted: Estimator,
    posterior: Posterior,
    source: Mapping[str, Any],
    options: GradingOptions,
    left_out: pl.DataFrame,
) -> dict[str, Any]:
    """Enough to make the result again, and no times, so that the same run gives the same."""
    direction, reading = fitted.feedback_.direction, fitted.feedback_.reading
    return {
        "version": __version__,
        "input": dict(source),
        "reading": None if reading is None else reading.to_dict(),
        "sentences": list(fitted.feedback_.sentences),
        "direction": None if direction is None else direction.to_dict(),
        "method": method.code,
        "parameters": dict(method.params),
        "seed": options.seed,
        "options": _recorded(options),
        "left_out": left_out.to_dicts(),
        "objective": fitted.objective_,
        "converged": bool(fitted.converged_),
        "iterations": int(fitted.n_iter_),
        "uncertainty": posterior.source,
        "draws": len(posterior.draws),
    }


def _recorded(options: GradingOptions) -> dict[str, Any]:
    """Every option by name, rules in the one way they are written."""
    rules = {
        "scale": options.read_scale(),
        "peer_scale": options.read_peer_scale(),
        "curve": options.read_curve(),
        "letters": options.read_letters(),
    }
    names = [name for name in GradingOptions.table() if name not in (*ELSEWHERE, *rules)]
    plain = {name: getattr(options, name) for name in names}
    return plain | {name: None if rule is None else rule.text for name, rule in rules.items()}

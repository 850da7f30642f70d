"""What reviewers of an example class rank and write, its grades, and students who rate comments and look."""

import time
from collections.abc import Sequence

from django.utils import timezone

from peerage_web.accounts.models import Person
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment, FeedbackPrompt
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.grading.models import GradingRun
from peerage_web.classes.grading.results import draw_run
from peerage_web.classes.grading.services import approve_run, start_run
from peerage_web.classes.grading.staff_grades import grade_submission
from peerage_web.classes.phases.services import take_step
from peerage_web.classes.release.queries import current_grade
from peerage_web.classes.release.services import rate, reveal, still_to_rate
from peerage_web.classes.reviewing.ranking_input import CommentInput, LevelInput, RankingInput
from peerage_web.classes.reviewing.services import save, submit_ranking
from peerage_web.files.models import Job
from peerage_web.files.services.running import run_next
from peerage_web.shared.errors import Refused

PRAISE = ("The question is clear.", "I could follow every step.", "The second explanation surprised me.")
WISHES = ("A picture would help.", "Say how you would measure it.", "The ending comes too soon.")


def rank_and_comment(
    assignment: Assignment, members: Sequence[Membership], *, no_show: Membership, finished: bool
) -> None:
    """Half have submitted (all, where it is over), a third has begun, the others have not; one never does."""
    prompts = list(assignment.prompts.order_by("position"))
    rubric = {
        criterion.pk: [level.pk for level in criterion.levels.all()] for criterion in assignment.rubric.all()
    }
    for number, member in enumerate(members):
        open_reviews = Review.objects.filter(assignment=assignment, reviewer=member, state=Review.State.OPEN)
        reviews = list(open_reviews.order_by("position"))
        idle = member.pk == no_show.pk or (not finished and number % 6 == 5)
        if not reviews or idle:
            continue
        open_reviews.update(opened_at=timezone.now())
        whole = finished or number % 6 < 3
        save(assignment=assignment, reviewer=member, sent=_sent(reviews, prompts, rubric, number, whole))
        if whole:
            submit_ranking(assignment=assignment, reviewer=member, by=member.person)


def _sent(
    reviews: list[Review],
    prompts: list[FeedbackPrompt],
    rubric: dict[int, list[int]],
    number: int,
    whole: bool,
) -> RankingInput:
    """Submissions in an order that many share; a tie now and then; half of the list where it is a draft."""
    order = sorted(reviews, key=lambda review: (-_quality(review.submission_id), review.pk))
    placed = order if whole else order[: len(order) // 2]
    tiers = [[review.label] for review in placed]
    if number % 4 == 0 and len(tiers) > 2:
        tiers[1:3] = [sorted([*tiers[1], *tiers[2]])]
    comments = [
        CommentInput(review.label, prompt.pk, _text(prompt, review.pk), 0)
        for review in placed
        for prompt in prompts
    ]
    chosen = [
        LevelInput(review.label, criterion, levels[_quality(review.submission_id) // 3], 0)
        for review in placed
        for criterion, levels in rubric.items()
    ]
    return RankingInput(tiers, 0, tuple(comments), tuple(chosen))


def _text(prompt: FeedbackPrompt, number: int) -> str:
    texts = PRAISE if prompt.position == 1 else WISHES
    return texts[number % len(texts)]


STAFF_GRADES = 5  # submissions that staff grade, so that points mean something
LEAST, STEP = 54.0, 6.0  # points of the least of seven qualities, and of the next


def grade_some(assignment: Assignment, by: Person) -> None:
    """Staff grade a few submissions, from the best to the last: what the others' points follow."""
    submissions = {_quality(submission.pk): submission for submission in assignment.submissions.all()}
    best_first = [submissions[quality] for quality in sorted(submissions, reverse=True)]
    step = max(1.0, (len(best_first) - 1) / (STAFF_GRADES - 1))
    chosen = {round(place * step) for place in range(STAFF_GRADES)}
    for place in sorted(place for place in chosen if place < len(best_first)):
        submission = best_first[place]
        points = LEAST + STEP * _quality(submission.pk)
        grade_submission(submission=submission, by=by, points=points, reason="A fictitious staff grade.")


def _quality(number: int) -> int:
    """What reviewers see in a submission, 0 to 6."""
    return number % 7


RUN_SECONDS = 600.0  # seconds for the run, which may wait for others
PAUSE = 0.2


def grade(assignment: Assignment, by: Person) -> GradingRun:
    """The first run, done and drawn; a task worker of a running service may do it, and is waited for."""
    run = start_run(assignment=assignment, by=by)
    deadline = time.monotonic() + RUN_SECONDS
    while run.job.is_active:
        if not run_next(worker="example class"):
            time.sleep(PAUSE)
        run.job.refresh_from_db()
        if time.monotonic() > deadline:
            raise Refused("the example was not graded in time; try again when less is going on")
    if run.job.state != Job.State.DONE:
        raise Refused("the example could not be graded")
    draw_run(run=run)
    run.refresh_from_db()
    return run


def release(assignment: Assignment, by: Person) -> None:
    """What the last run says is approved, and students may look."""
    run = GradingRun.objects.filter(assignment=assignment, drawn_at__isnull=False).order_by("number").last()
    if run is None:
        raise Refused("the example was not graded")
    approve_run(run=run, by=by)
    take_step(assignment=assignment, code="release", by=by)


def reveal_grades(assignment: Assignment, members: Sequence[Membership]) -> None:
    """Each rates the comments on their submission, and sees the grade."""
    for number, member in enumerate(members):
        grade_view = current_grade(assignment, member)
        if grade_view is None:
            continue
        waiting = still_to_rate(grade_view)
        ratings = {comment.handle: 3 + (number + place) % 3 for place, comment in enumerate(waiting)}
        rate(assignment=assignment, member=member, ratings=ratings)
        reveal(assignment=assignment, member=member)

"""Classes whose rankings are in, for tests in the browser: to be graded, or with a run that is approved."""

from __future__ import annotations

import random
from typing import Any

NAMES = ["Ada", "Ben", "Cem", "Dia", "Emmy", "Farid", "Grace", "Hương", "Inés", "Jun", "Kofi", "Lise"]
EACH = 3  # reviews of a student
GOOD = (
    "The question is clear from the first line, and the figure answers it.",
    "I liked how you explain why the sample is small.",
    "The axes are labelled and the colours can be told apart.",
)
BETTER = (
    "Say how many people were asked. Then the percentages would mean something.",
    "The last paragraph repeats the first; a sentence on what could have gone wrong would help more.\n\n"
    "Perhaps also name the program you used.",
    "Make the figure larger, and the text around it shorter.",
)


def make_released() -> dict[str, Any]:
    """Paths and sessions."""
    from tests.web.ranking_room import TEXTS, _submission, new_class, session_of

    from peerage_web.classes.assignments.models import Assignment
    from peerage_web.classes.enums import Phase

    teacher, students, one = new_class("rel", NAMES[:8], name="Experimental design", reviews_per_student=EACH)
    submissions = [
        _submission(one, author, TEXTS[number % len(TEXTS)]) for number, author in enumerate(students[:-1])
    ]
    for number, member in enumerate(students[:-1]):
        _review(one, member, [submissions[(number + step) % len(submissions)] for step in range(1, EACH + 1)])
    Assignment.objects.filter(pk=one.pk).update(phase=Phase.CLOSED)
    _run(one, submissions, students, teacher)
    path = one.get_absolute_url()
    return {
        "course": one.course.get_absolute_url(),
        "assignment": path,
        "member": students[2].pk,
        "sessions": {
            "teacher": session_of(teacher),
            "students": [session_of(member.person) for member in students],
        },
    }


def _review(one, member, submissions) -> None:
    from tests.web.classes.cast import allocate, submit_ranking

    from peerage_web.classes.reviewing.models import Comment, Ranking

    first, second = one.prompts.order_by("position")
    reviews, comments = allocate(one, member, submissions), []
    for place, review in enumerate(reviews):
        for prompt, text in ((first, GOOD[place]), (second, BETTER[place])):
            Comment.objects.create(review=review, prompt=prompt, text=text)
            comments.append({"review": review.pk, "prompt": prompt.pk, "text": text})
    Ranking.objects.create(assignment=one, reviewer=member, tiers=[["A"], ["B"], ["C"]], version=1)
    submit_ranking(one, member, [[review.pk] for review in reviews], comments=comments, version=1)


def _run(one, submissions, students, teacher) -> None:
    """As the library's tables would be drawn; here nothing is graded."""
    from django.utils import timezone
    from tests.web.classes.cast import grading_run

    from peerage_web.classes.grading.models import RunGrade, RunReviewer
    from peerage_web.classes.grading.queries import plan_of, weights_of

    options = {"scale": "0:100", "letters": "A>=85,B>=70,C>=55,D", "seed": 0, "interval": 0.9}
    run = grading_run(
        one,
        teacher,
        options={**options, "anchors_as_evidence": True},
        plan=weights_of(plan_of(one)),
        approved_at=timezone.now(),
        approved_by=teacher,
    )
    for place, submission in enumerate(submissions):
        points = 91.5 - 7.25 * place
        RunGrade.objects.create(
            run=run, submission=submission, rank=place + 1, rank_low=max(1, place - 1), rank_high=place + 3,
            points=points, points_low=points - 9.5, points_high=min(points + 8.75, 100), reviews=EACH,
            letter="ABBCCCD"[place], letter_chance=0.62 + 0.05 * place, attention=place + 1,
        )  # fmt: skip
    for place, member in enumerate(students[:-1]):
        RunReviewer.objects.create(
            run=run, membership=member, asked=EACH, given=EACH, reliability=1.6 - place / 5,
            reliability_low=0.2, reliability_high=2.9, agreement=0.8, quality=100 - 9 * place,
            completeness=100, flag="reversed" if place == 6 else "consistent",
        )  # fmt: skip
    RunReviewer.objects.create(run=run, membership=students[-1], asked=EACH, given=0, completeness=0)


def make_reviewed() -> dict[str, Any]:
    """The path of the assignment, and the session of its teacher."""
    from tests.web.ranking_room import new_class, session_of

    from peerage_web.classes.assignments.models import Assignment
    from peerage_web.classes.enums import Phase

    teacher, students, one = new_class("riddle", NAMES, name="Everyday riddles", reviews_per_student=5)
    _rank(one, students)
    Assignment.objects.filter(pk=one.pk).update(phase=Phase.CLOSED, by_date=False)
    return {"path": one.get_absolute_url(), "session": session_of(teacher)}


def _rank(one, students) -> None:
    """Everybody but the last puts five submissions in order, more or less as they are numbered."""
    from tests.web.classes.cast import allocate, submit_ranking
    from tests.web.ranking_room import TEXTS, _submission

    submissions = [
        _submission(one, author, TEXTS[number % len(TEXTS)]) for number, author in enumerate(students)
    ]
    rng = random.Random(3)
    for number, member in enumerate(students):
        chosen = rng.sample([place for place in range(len(submissions)) if place != number], 5)
        reviews = dict(zip(chosen, allocate(one, member, [submissions[k] for k in chosen]), strict=True))
        if member != students[-1]:
            order = sorted(reviews, key=lambda place: place + rng.gauss(0, 1.5))
            submit_ranking(one, member, [[reviews[place].pk] for place in order], version=1)

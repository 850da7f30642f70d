"""A class whose reviews are in, with comments and an approved run whose rows are made by hand."""

from django.utils import timezone
from tests.web.classes.cast import Cast, allocate, grading_run, move, submit, submit_ranking

from peerage_web.accounts.models import Person
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import FeedbackPrompt
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase
from peerage_web.classes.grading.models import GradingPlan, GradingRun, RunGrade, RunReviewer
from peerage_web.classes.grading.queries import plan_of, weights_of
from peerage_web.classes.phases.services import take_step
from peerage_web.classes.release.feedback import handle_of
from peerage_web.classes.release.models import ReleasedGrade
from peerage_web.classes.release.services import rate
from peerage_web.classes.reviewing.models import Comment
from peerage_web.classes.submissions.models import Submission


class ReleaseRoom:
    """The cast's five students, each of whom reviews the next two; the last one submitted nothing at all."""

    def __init__(self, cast: Cast, **plan: object) -> None:
        self.cast, self.assignment = cast, cast.assignment
        self.by: Person = cast.people["instructor"]
        self.members: list[Membership] = cast.students
        GradingPlan.objects.create(assignment=self.assignment, **plan)
        self.prompt = FeedbackPrompt.objects.create(assignment=self.assignment, position=1, text="Why?")
        self.authors = self.members[:4]
        self.submissions: list[Submission] = [submit(self.assignment, one) for one in self.authors]
        for number, member in enumerate(self.authors):
            following = [self.submissions[(number + step) % 4] for step in (1, 2)]
            self._submit_ranking(member, allocate(self.assignment, member, following))
        move(self.assignment, Phase.CLOSED)

    def _submit_ranking(self, member: Membership, reviews: list[Review]) -> None:
        """An order, and comments that say which review they are of."""
        texts = {one.pk: f"Comment {one.pk} on your figure." for one in reviews}
        for pk, text in texts.items():
            Comment.objects.create(review_id=pk, prompt=self.prompt, text=text)
        comments = [{"review": pk, "prompt": self.prompt.pk, "text": text} for pk, text in texts.items()]
        submit_ranking(self.assignment, member, [[pk] for pk in texts], comments=comments)

    def run(self, shift: float = 0.0, letters: bool = False) -> GradingRun:
        """A run that is done and approved."""
        options = {"scale": "0:100", "letters": "A>=85,B>=65,C>=45,D" if letters else None}
        run = grading_run(
            self.assignment,
            self.by,
            options={**options, "interval": 0.9, "anchors_as_evidence": True},
            plan=weights_of(plan_of(self.assignment)),
            approved_at=timezone.now(),
            approved_by=self.by,
        )
        for number, submission in enumerate(self.submissions):
            points = 90.0 - 20 * number + shift
            RunGrade.objects.create(
                run=run, submission=submission, rank=number + 1, rank_low=1, rank_high=4, points=points,
                points_low=points - 8, points_high=points + 8, reviews=2, attention=number + 1,
                letter="ABCD"[number] if letters else "", letter_chance=0.8 if letters else None,
            )  # fmt: skip
        for number, member in enumerate(self.authors):
            RunReviewer.objects.create(
                run=run, membership=member, asked=2, given=2, reliability=1.5 - number / 2,
                reliability_low=0.1, reliability_high=2.0, agreement=0.7, quality=80.0, completeness=100.0,
                flag="reversed" if number == 3 else "consistent", flag_text="words of the library",
            )  # fmt: skip
        return run

    def release(self) -> None:
        take_step(assignment=self.assignment, code="release", by=self.by)

    def rate(self, number: int, rating: int = 4) -> bool:
        """All that this author received; whether nothing is left to rate."""
        ratings = {handle_of(one): rating for one in self.reviews_of(number)}
        return rate(assignment=self.assignment, member=self.members[number], ratings=ratings)

    def page(self, name: str = "") -> str:
        return f"{self.assignment.get_absolute_url()}{name}"

    def read(self, who: int | str, name: str = "") -> str:
        """A page as somebody of the cast reads it, or a member by number."""
        client = self.cast.client(who if isinstance(who, str) else self.members[who])
        return client.get(self.page(name)).content.decode()

    def reviews_of(self, number: int) -> list[Review]:
        return list(Review.objects.filter(submission=self.submissions[number]).order_by("pk"))

    def grade_of(self, number: int) -> ReleasedGrade:
        return ReleasedGrade.objects.get(
            release__assignment=self.assignment, release__ended_at=None, membership=self.members[number]
        )

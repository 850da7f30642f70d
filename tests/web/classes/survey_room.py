"""A class that answers a survey, for tests."""

from tests.web.classes.cast import Cast, move

from peerage_web.accounts.models import Person
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase
from peerage_web.classes.survey.models import SurveyQuestion
from peerage_web.classes.survey.queries import answers_to
from peerage_web.classes.survey.services import AnswerInput, begin, close_survey, save_answers, save_codes


class SurveyRoom:
    """The cast with reviews in; `received` and `given` are the paper's questions."""

    def __init__(self, cast: Cast) -> None:
        self.cast, self.where = cast, cast.assignment
        move(self.where, Phase.CLOSED)
        begin(self.where)
        self.received, self.given = self.where.survey_questions.filter(code__in=("received", "given"))
        self.base = f"/c/{cast.course.key}/a/{self.where.key}/survey/"
        self.teacher, self.assistant = cast.people["instructor"], cast.people["assistant"]

    def answer(self, member: Membership, received: str = "", given: str = "", **other: AnswerInput) -> None:
        answers = {self.received.pk: AnswerInput(text=received), self.given.pk: AnswerInput(text=given)}
        save_answers(
            assignment=self.where,
            member=member,
            answers=answers | {int(key[1:]): value for key, value in other.items()},
        )

    def answer_all(self) -> None:
        """Each something of their own; the last says nothing about giving."""
        for number, member in enumerate(self.cast.students):
            last = member == self.cast.students[-1]
            self.answer(member, f"received {number}", "" if last else f"given {number}")

    def close(self) -> None:
        close_survey(assignment=self.where, by=self.teacher)

    def code(self, by: Person, question: SurveyQuestion, categories: str) -> None:
        """The n-th category for the answer whose text ends in n."""
        keys = {one.key: int(one.text.split()[-1]) for one in answers_to(question)}
        save_codes(question=question, by=by, codes={key: categories[number] for key, number in keys.items()})

    def code_all(self) -> None:
        """Two of the staff, who disagree about one answer each."""
        self.code(self.teacher, self.received, "11234")
        self.code(self.assistant, self.received, "11224")
        self.code(self.teacher, self.given, "1112")
        self.code(self.assistant, self.given, "1122")

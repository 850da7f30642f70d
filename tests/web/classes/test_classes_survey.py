"""The survey: what students are asked, that nothing leads from an answer to them, and blind sorting."""

import csv
import io
import json

import pytest
from django.core.serializers import serialize
from tests.web.classes.cast import Cast, join, move, students
from tests.web.page_facts import texts

from peerage.metrics.inter_rater import cohen_kappa, fleiss_kappa
from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.assignments.services import duplicate_assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Phase, Role
from peerage_web.classes.erasure.services import erase_member, export_member
from peerage_web.classes.survey import services
from peerage_web.classes.survey.coding import results_of
from peerage_web.classes.survey.models import SurveyAnswer, SurveyCode, SurveyQuestion, SurveyResultsViewer
from peerage_web.classes.survey.queries import answers_of_course, answers_to, questions_of
from peerage_web.classes.survey.services import AnswerInput
from peerage_web.shared.errors import Refused


class SurveyRoom:
    """The cast with reviews in; `received` and `given` are the paper's questions."""

    def __init__(self, cast: Cast) -> None:
        self.cast, self.where = cast, cast.assignment
        move(self.where, Phase.CLOSED)
        services.begin(self.where)
        self.received, self.given = self.where.survey_questions.filter(code__in=("received", "given"))
        self.base = f"{self.where.get_absolute_url()}survey/"
        self.teacher, self.assistant = cast.people["instructor"], cast.people["assistant"]

    def answer(self, member: Membership, received: str = "", given: str = "", **other: AnswerInput) -> None:
        answers = {self.received.pk: AnswerInput(text=received), self.given.pk: AnswerInput(text=given)}
        answers |= {int(key[1:]): value for key, value in other.items()}
        services.save_answers(assignment=self.where, member=member, answers=answers)

    def answer_all(self) -> None:
        """Each something of their own; the last says nothing about giving."""
        for number, member in enumerate(self.cast.students):
            last = member == self.cast.students[-1]
            self.answer(member, f"received {number}", "" if last else f"given {number}")

    def close(self) -> None:
        services.close_survey(assignment=self.where, by=self.teacher)

    def code(self, by: Person, question: SurveyQuestion, categories: str) -> None:
        """The n-th category for the answer whose text ends in n."""
        keys = {one.key: int(one.text.split()[-1]) for one in answers_to(question)}
        codes = {key: categories[number] for key, number in keys.items()}
        services.save_codes(question=question, by=by, codes=codes)

    def code_all(self) -> None:
        """Two of the staff, who disagree about one answer each."""
        self.code(self.teacher, self.received, "11234")
        self.code(self.assistant, self.received, "11224")
        self.code(self.teacher, self.given, "1112")
        self.code(self.assistant, self.given, "1122")


@pytest.fixture
def room(cast) -> SurveyRoom:
    return SurveyRoom(cast)


@pytest.fixture
def closed(room) -> SurveyRoom:
    room.answer_all()
    room.close()
    return room


# -- asking and answering ------------------------------------------------------------------------------


def test_students_find_the_papers_questions_and_change_what_they_said(room):
    client = room.cast.client("student")
    page = client.get(room.base)
    assert texts(page, "legend") == [
        "Was it helpful to get feedback from other students? Why, or why not?",
        "Was it valuable to give feedback to other students? Why, or why not?",
    ]

    sent = {f"choice_{room.received.pk}": "yes", f"text_{room.received.pk}": "It was."}
    client.post(room.base, sent)
    client.post(room.base, sent | {f"text_{room.received.pk}": "Very much."})

    (kept,) = SurveyAnswer.objects.all()
    assert (kept.question, kept.membership) == (room.received, room.cast.students[0])
    assert (kept.choice, kept.text) == ("yes", "Very much.")
    assert "Very much." in client.get(room.base).content.decode()
    assert "You have answered the survey." in client.get(room.where.get_absolute_url()).content.decode()


def test_an_answer_that_is_emptied_is_gone_and_a_name_in_one_is_pointed_out(room):
    room.answer(room.cast.students[0], "a", "b")

    client = room.cast.client("student")
    typed = "Ask student1@example.org or student2@example.org!"  # the own address, and a guess
    pages = [client.post(room.base, {f"text_{room.given.pk}": typed}, follow=True) for _time in range(2)]

    assert [one.text for one in SurveyAnswer.objects.all()] == [typed]
    warned = ["Your answers contain names" in page.content.decode() for page in pages]
    assert warned == [True, False]  # the same text is warned about once
    assert "contain names (student1@example.org)" in pages[0].content.decode()


def test_other_questions_are_asked_and_counted(room):
    made = services.add_question(
        assignment=room.where, by=room.teacher, text="How long?", kind="choice", choices=["short", "", "long"]
    )
    assert made.choices == ["short", "long"]
    for number, member in enumerate(room.cast.students):
        room.answer(member, "x", **{f"q{made.pk}": AnswerInput(choice="long" if number else "short")})
    with pytest.raises(Refused, match="questions have changed"):
        room.answer(room.cast.students[0], **{f"q{made.pk}": AnswerInput(choice="longer")})
    room.close()

    page = room.cast.client("instructor").get(room.base + "answers")

    assert texts(page, "dt") == ["short (20 %)", "long (80 %)"]


def test_staff_add_and_take_away_questions_whose_answers_stay_and_are_text(room):
    room.answer_all()
    room.answer(room.cast.students[0], "=HYPERLINK(1)", "given 0")
    client = room.cast.client("assistant")
    client.get(room.base + "questions")

    client.post(room.base + "questions", {"text": "What else?", "kind": "text"})
    added = SurveyQuestion.objects.get(text="What else?")
    assert client.post(room.base + "questions", {"text": "Which?", "kind": "choice"}).status_code == 422
    client.post(f"{room.base}questions/{room.given.pk}/remove")
    client.post(f"{room.base}questions/{added.pk}/remove")

    assert SurveyQuestion.objects.get(pk=room.given.pk).retired_at is not None
    assert not SurveyQuestion.objects.filter(pk=added.pk).exists()
    assert texts(room.cast.client("student").get(room.base), "legend") == [
        "Was it helpful to get feedback from other students? Why, or why not?"
    ]
    client.post(f"{room.base}questions/{room.received.pk}/remove")
    client.post(f"{room.base}questions/{room.given.pk}/again")
    assert texts(room.cast.client("student").get(room.base), "legend") == [
        "Was it valuable to give feedback to other students? Why, or why not?"
    ]

    client.post(f"{room.base}questions/{room.given.pk}/remove")
    room.close()
    page = client.get(room.base + "answers").content.decode()
    assert ("given 0" in page, "no longer asked" in page) == (True, True)
    assert "'=HYPERLINK(1)" in client.get(room.base + "answers/file").content.decode()


def test_a_copy_of_the_assignment_asks_the_same(room):
    services.add_question(assignment=room.where, by=room.teacher, text="What else?", kind="text")
    gone = services.add_question(assignment=room.where, by=room.teacher, text="Gone?", kind="text")
    room.answer(room.cast.students[0], "x", **{f"q{gone.pk}": AnswerInput(text="y")})
    services.remove_question(question=gone, by=room.teacher)
    services.remove_question(question=room.received, by=room.teacher)

    copy = duplicate_assignment(assignment=room.where, by=room.teacher, title="Again")

    assert [one.text for one in questions_of(copy)] == [
        "Was it valuable to give feedback to other students? Why, or why not?",
        "What else?",
    ]
    assert not SurveyAnswer.objects.filter(question__assignment=copy).exists()


def test_a_survey_that_is_switched_off_asks_nobody(room):
    room.cast.client("instructor").post(room.base + "switch", {"on": "no"})
    client = room.cast.client("student")

    assert "There are no questions at the moment." in client.get(room.base).content.decode()
    page = client.post(room.base, {f"text_{room.given.pk}": "x"}, follow=True)
    assert "Nothing was saved." in page.content.decode()
    assert not SurveyAnswer.objects.exists()
    assert b"survey" not in client.get(room.where.get_absolute_url()).content


# -- nobody's answers ------------------------------------------------------------------------------------


def test_staff_read_nothing_before_the_survey_is_closed_which_needs_five_and_a_tick(room):
    client = room.cast.client("instructor")
    for member in room.cast.students[:4]:
        room.answer(member, "secret")
    page = client.post(room.base + "close", {"sure": "on"}, follow=True).content.decode()
    assert "Only 4 students have answered." in page
    assert SurveyAnswer.objects.filter(membership__isnull=False).count() == 4
    page, form = client.get(room.base + "answers").content, f'action="{room.base}close"'.encode()
    assert (b"secret" in page, form in page) == (False, False)

    room.answer_all()
    assert form in client.get(room.base + "answers").content
    client.post(room.base + "close")

    for path in ("answers", "answers/file", f"answers/{room.received.pk}/", "results", "questions"):
        page = client.get(room.base + path)
        assert page.status_code == 200
        assert b"received 0" not in page.content
    assert "So far, 5 of 5 students have answered." in client.get(room.base + "answers").content.decode()
    assert not answers_of_course(room.cast.course).exists()

    client.post(room.base + "close", {"sure": "on"})
    assert b"received 0" in client.get(room.base + "answers").content
    assert answers_of_course(room.cast.course).count() == 9


def test_closing_cuts_answers_off_from_their_students(room):
    room.answer_all()
    before = {one.key for one in SurveyAnswer.objects.all()}
    last = max(one.pk for one in SurveyAnswer.objects.all())

    room.close()

    after = list(SurveyAnswer.objects.order_by("pk"))
    assert {one.membership for one in after} == {None}
    assert before.isdisjoint(one.key for one in after)
    assert min(one.pk for one in after) > last  # written anew, so that old numbers say nothing
    together = {(one.respondent, one.text.split()[-1]) for one in after}
    assert len(together) == len({one.respondent for one in after}) == 5


def test_answers_are_not_in_the_order_in_which_they_were_given(cast):
    """Of numbers of rows or of keys: with fifteen students the chance that one of the two is 1 in 15!."""
    room = SurveyRoom(cast)
    crowd = [*cast.students, *students(cast.course, 10, "many")]
    for number, member in enumerate(crowd):
        room.answer(member, f"{number:02}")
    room.close()

    page = cast.client("instructor").get(room.base + "answers")

    listed = [one for one in texts(page, "li") if one.isdigit()]
    assert sorted(listed) == [f"{number:02}" for number in range(15)]
    assert listed != sorted(listed)
    rows = [one.text for one in SurveyAnswer.objects.order_by("pk")]
    assert rows != sorted(rows)


def test_nothing_that_staff_fetch_names_a_student(closed):
    """Names, addresses, numbers of the roster, and the word that holds one student's answers together."""
    closed.code_all()
    client = closed.cast.client("instructor")
    client.post(closed.base + "finish-coding")
    secret = [one.respondent for one in SurveyAnswer.objects.all()]
    for member in closed.cast.students:
        secret += [member.name, member.person.email, member.student_id]

    for path in ("answers", "answers/file", f"answers/{closed.received.pk}/", "results", "questions"):
        body = client.get(closed.base + path).content.decode()
        assert [word for word in secret if word in body] == []


def test_nothing_is_answered_or_changed_once_it_is_closed(closed):
    """And the activity log does not say who answered."""
    with pytest.raises(Refused, match="closed"):
        closed.answer(closed.cast.students[0], "again")
    with pytest.raises(Refused, match="closed"):
        services.add_question(assignment=closed.where, by=closed.teacher, text="x", kind="text")
    with pytest.raises(Refused, match="closed"):
        services.remove_question(question=closed.given, by=closed.teacher)
    closed.close()  # once more does nothing

    assert SurveyAnswer.objects.count() == 9
    events = Event.objects.filter(assignment=closed.where)
    assert [(one.verb, one.actor) for one in events] == [("survey-closed", closed.teacher)]
    page = closed.cast.client("student").get(closed.base).content.decode()
    assert "cannot be shown here" in page
    assert "received 0" not in page


def test_a_persons_file_has_no_answers_and_erasing_takes_along_those_that_are_open(room):
    room.answer_all()
    made = json.dumps(export_member(member=room.cast.students[0]), default=str)
    assert "received 0" not in made
    assert "Answers to surveys are not in this file" in made

    erase_member(member=room.cast.students[0], by=room.teacher)
    assert [one.text for one in SurveyAnswer.objects.all() if "0" in one.text] == []
    new = join(room.cast.course, room.cast.people["stranger"], Role.STUDENT)
    room.answer(new, "received 0", "given 0")
    room.close()
    before = serialize("json", SurveyAnswer.objects.order_by("pk"))

    erase_member(member=room.cast.students[1], by=room.teacher)

    assert serialize("json", SurveyAnswer.objects.order_by("pk")) == before


def test_codes_of_an_erased_assistant_stay_as_nobodys(closed):
    closed.code_all()
    services.finish_coding(assignment=closed.where, by=closed.assistant)

    erase_member(member=closed.cast.member("assistant"), by=closed.teacher)

    assert SurveyCode.objects.filter(by=closed.assistant).count() == 0
    assert not SurveyResultsViewer.objects.filter(by=closed.assistant).exists()
    kappa = results_of(closed.where).agreements[0].pairs[0].kappa
    assert kappa.value == pytest.approx(cohen_kappa("11234", "11224").value)


# -- sorting ---------------------------------------------------------------------------------------------


def test_sorting_on_the_page_and_what_is_no_answer_no_category_and_not_sorted(room):
    other = services.add_question(assignment=room.where, by=room.teacher, text="Else?", kind="text")
    room.answer_all()
    room.close()
    client = room.cast.client("assistant")
    path = f"{room.base}answers/{room.received.pk}/"
    client.get(path)
    keys = [one.key for one in SurveyAnswer.objects.filter(question=room.received).order_by("key")]

    for codes in ({"nobody": "1"}, {keys[0]: "6"}):
        with pytest.raises(Refused, match="Reload the page"):
            services.save_codes(question=room.received, by=room.teacher, codes=codes)
    with pytest.raises(Refused, match="first two questions"):
        services.save_codes(question=other, by=room.teacher, codes={})
    assert not SurveyCode.objects.exists()

    part = client.post(path, {f"code-{key}": "1" for key in keys[:2]}, follow=True)
    assert "Saved. 3 answers left." in part.content.decode()
    rest = client.post(path, {f"code-{key}": "5" for key in keys[2:]}, follow=True)

    assert "You have categorised all answers to this question." in rest.content.decode()
    found = SurveyCode.objects.filter(by=room.assistant).order_by("answer__key")
    assert [one.category for one in found] == list("11555")


def test_coders_are_blind_to_each_other_until_they_stop(closed):
    closed.code(closed.assistant, closed.received, "11234")
    client = closed.cast.client("instructor")

    page = client.get(closed.base + "results")
    sorting = client.get(f"{closed.base}answers/{closed.received.pk}/")
    file = client.get(closed.base + "answers/file")
    assert b"Assistant" not in page.content
    assert b"checked" not in sorting.content
    assert b"coder_1" not in file.content

    client.post(closed.base + "finish-coding")
    page = client.get(closed.base + "results")
    assert "Assistant has categorised all 5 answers." in page.content.decode()
    assert "Agreement can be computed once a second person" in page.content.decode()
    assert texts(page, "td") == ["40.00", "20.00", "20.00", "20.00", "0.00"], "one question has no table"
    with pytest.raises(Refused, match="can no longer categorise them"):
        closed.code(closed.teacher, closed.received, "11111")
    file = client.get(closed.base + "answers/file").content.decode("utf-8-sig")
    coded = {row["text"]: row["coder_1"] for row in csv.DictReader(io.StringIO(file))}
    assert [coded[f"received {number}"] for number in range(5)] == list("11234")


def test_results_are_the_librarys_and_who_has_not_sorted_all_does_not_count(closed):
    closed.code_all()
    third = closed.cast.people["stranger"]
    key = SurveyAnswer.objects.filter(question=closed.received).first().key
    services.save_codes(question=closed.received, by=third, codes={key: "5"})
    services.finish_coding(assignment=closed.where, by=closed.teacher)

    first, second = results_of(closed.where).agreements
    assert (first.coders, first.unfinished, second.unfinished) == (["Assistant", "Instructor"], 1, 0)
    assert first.pairs[0].kappa == cohen_kappa("11224", "11234")
    assert first.fleiss == fleiss_kappa(["11", "11", "22", "23", "44"])
    assert second.fleiss == fleiss_kappa(["11", "11", "12", "22"])
    page = closed.cast.client("instructor").get(closed.base + "results")
    # students 0 to 4 by hand: (A1, B1), (A1, B1), (A2, B1 or B2), (A2 or A3, B2), (A4, nothing: B5)
    assert texts(page, "td")[-36:] == [
        "40.00", "10.00", "0.00", "0.00", "0.00", "50.00",
        "0.00", "20.00", "10.00", "0.00", "0.00", "30.00",
        "0.00", "0.00", "0.00", "0.00", "0.00", "0.00",
        "0.00", "0.00", "0.00", "0.00", "0.00", "0.00",
        "0.00", "0.00", "0.00", "20.00", "0.00", "20.00",
        "40.00", "30.00", "10.00", "20.00", "0.00", "",
    ]  # fmt: skip


def test_agreement_about_one_category_is_not_defined(closed):
    closed.code(closed.teacher, closed.received, "11111")
    closed.code(closed.assistant, closed.received, "11111")
    services.finish_coding(assignment=closed.where, by=closed.teacher)

    page = closed.cast.client("instructor").get(closed.base + "results").content.decode()

    assert "not defined (all in one category)" in page

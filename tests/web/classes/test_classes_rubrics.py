"""The rubric: written by staff, chosen by reviewers beside the ranking, shown to authors and staff."""

import io
import zipfile

import pytest
from django.db.models import F
from tests.web.classes.cast import allocate, criterion, move, submit
from tests.web.classes.grading_room import GradingRoom
from tests.web.classes.release_room import ReleaseRoom
from tests.web.page_facts import texts

from peerage.errors import AmbiguousReadingError
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.services import duplicate_assignment
from peerage_web.classes.enums import Phase
from peerage_web.classes.exports.data_set import data_set_file
from peerage_web.classes.grading.inputs import inputs_of
from peerage_web.classes.grading.models import GradingRun, StaffGrade
from peerage_web.classes.grading.queries import options_of, plan_of
from peerage_web.classes.grading.services import approve_run, change_plan, is_planned
from peerage_web.classes.release.services import still_to_rate
from peerage_web.classes.reviewing.models import SubmittedRanking
from peerage_web.classes.reviewing.queries import sheet_of
from peerage_web.classes.reviewing.ranking_input import LevelInput, RankingInput
from peerage_web.classes.reviewing.services import Incomplete, put_ranking, save, submit_ranking
from peerage_web.classes.rubrics.models import ChosenLevel, RubricCriterion, RubricLevel
from peerage_web.classes.rubrics.queries import criteria_of
from peerage_web.files.models import Job
from peerage_web.sandbox.contract.errors import describe_problem
from peerage_web.shared.errors import Refused

# -- staff write it ------------------------------------------------------------------------------------


def filled(name: str = "Clarity", levels: int = 3, **more: str) -> dict[str, str]:
    """The form of a criterion."""
    form = {"name": name, "description": "Can it be followed?", "required": "on"}
    for number in range(1, levels + 1):
        form |= {
            f"level_name_{number}": f"Level {number}",
            f"level_points_{number}": str(levels - number),
            f"level_text_{number}": f"Meaning {number}",
        }
    return form | more


def shape(assignment) -> list[tuple]:
    return [
        (one.name, one.description, one.required, [(each.name, each.points) for each in one.levels.all()])
        for one in criteria_of(assignment)
    ]


def test_staff_add_change_move_copy_and_remove_criteria(cast):
    client, path = cast.client("assistant"), f"{cast.assignment.get_absolute_url()}rubric/"

    client.post(path, filled("Clarity"))
    client.post(path, filled("Method", levels=2, required=""))
    method = RubricCriterion.objects.get(name="Method")
    client.post(f"{path}{method.pk}/up")
    client.post(f"{path}{method.pk}/", filled("Methods", levels=7))

    assert [name for name, *_rest in shape(cast.assignment)] == ["Methods", "Clarity"]
    assert shape(cast.assignment)[0][3][-1] == ("Level 7", 0.0)
    levels = [("Level 1", 2.0), ("Level 2", 1.0), ("Level 3", 0.0)]
    assert shape(cast.assignment)[1] == ("Clarity", "Can it be followed?", True, levels)
    copy = duplicate_assignment(assignment=cast.assignment, by=cast.people["instructor"], title="Again")
    assert shape(copy) == shape(cast.assignment)

    client.post(f"{path}{method.pk}/remove")
    assert [name for name, *_rest in shape(cast.assignment)] == ["Clarity"]
    events = Event.objects.filter(verb="rubric-changed").order_by("pk")
    assert [event.data["count"] for event in events] == [1, 2, 2, 2, 1]


def test_the_next_criterion_starts_with_the_levels_of_the_last_and_the_rubric_has_an_end(cast):
    client, path = cast.client("instructor"), f"{cast.assignment.get_absolute_url()}rubric/"
    assert 'value="Excellent"' in client.get(path).content.decode()

    client.post(path, filled())

    page = client.get(path).content.decode()
    assert 'value="Level 3"' in page
    assert 'value="Meaning 3"' not in page
    for number in range(19):
        criterion(cast.assignment, f"Criterion {number}")
    answer = client.post(path, filled("One more"))
    assert "A rubric can have at most 20 criteria." in answer.content.decode()


@pytest.mark.parametrize(
    ("form", "says"),
    [
        (filled(levels=1), "A criterion needs 2 to 7 levels. This one has 1."),
        (filled(levels=8), "A criterion needs 2 to 7 levels. This one has 8."),
        (filled("METHOD"), "There is already a criterion named “METHOD”. Give this one another name."),
        (filled(level_name_2="level 1"), "Two levels are named “Level 1”. Give each level its own name."),
        (filled(""), "This field is required."),
        (filled("x" * 300), "Ensure this value has at most 100 characters (it has 300)."),
        (filled(level_name_1="x" * 300), "Ensure this value has at most 100 characters (it has 300)."),
        (filled(level_points_2=""), "Enter the points for this level."),
        (filled(level_points_2="-1"), "Ensure this value is greater than or equal to 0."),
        (filled(level_points_2="nan"), "Enter a number."),
        (filled(level_name_2=""), "Enter a name for this level."),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence_and_stays_in_the_form(cast, form, says):
    criterion(cast.assignment, "Method")

    answer = cast.client("instructor").post(f"{cast.assignment.get_absolute_url()}rubric/", form)

    page = answer.content.decode()
    assert answer.status_code == 422
    assert says in page
    assert [value for value in form.values() if len(value) > 2 and value not in page] == []
    assert cast.assignment.rubric.count() == 1


def test_students_see_it_before_they_submit_and_once_reviewing_has_begun_it_stays(cast):
    client, path = cast.client("instructor"), f"{cast.assignment.get_absolute_url()}rubric/"
    one = criterion(cast.assignment)
    move(cast.assignment, Phase.SUBMITTING)
    page = cast.client("student").get(cast.assignment.get_absolute_url())
    assert "Clarity" in texts(page, "h3")
    assert {"Clear", "Unclear"} <= set(texts(page, "dt"))
    move(cast.assignment, Phase.REVIEWING)
    says = "The review phase has begun. The rubric can no longer be changed."
    before = shape(cast.assignment)

    page = client.get(path)
    assert says in page.content.decode()
    assert "Add a criterion" not in page.content.decode()
    for end, form in (("", filled("Other")), (f"{one.pk}/", filled()), (f"{one.pk}/remove", {})):
        answer = client.post(path + end, form, follow=True)
        assert says in answer.content.decode()
        assert answer.status_code == (422 if form else 200)
    assert shape(cast.assignment) == before


# -- reviewers choose ------------------------------------------------------------------------------------


@pytest.fixture
def room(cast):
    """The first student has two submissions to rank, by a criterion that is required and one that is not."""
    where, reviewer = cast.assignment, cast.students[0]
    cast.reviews = allocate(where, reviewer, [submit(where, one) for one in cast.students[1:3]])
    cast.clarity, cast.method = criterion(where), criterion(where, "Method", required=False)
    cast.clear, cast.unclear = cast.clarity.levels.all()
    move(where, Phase.REVIEWING)
    cast.path = f"{where.get_absolute_url()}reviews/"
    return cast


def choose(room, label: str, level, criterion=None, tiers=None):
    one = LevelInput(label, (criterion or room.clarity).pk, level.pk if level else None, 0)
    sent = RankingInput(tiers, 0, (), (one,))
    return save(assignment=room.assignment, reviewer=room.students[0], sent=sent)


def chosen(review: int, level: RubricLevel) -> dict[str, int]:
    """As a submitted ranking keeps it."""
    return {"review": review, "criterion": level.criterion_id, "level": level.pk}


def take(room) -> SubmittedRanking:
    return submit_ranking(assignment=room.assignment, reviewer=room.students[0], by=room.people["student"])


def kept(room) -> dict[tuple[str, str], str | None]:
    return {
        (row.review.label, row.criterion.name): row.level.name if row.level else None
        for row in ChosenLevel.objects.select_related("review", "criterion", "level")
    }


def test_a_level_is_saved_by_the_script_changed_and_taken_back(room):
    client, name = room.client("student"), f"level-A-{room.method.pk}"
    first, second = room.method.levels.all()

    for version, level in enumerate([str(first.pk), str(second.pk), ""]):
        body = {"version": 0, "comments": {name: {"text": level, "version": version}}}
        accept = {"Accept": "application/json"}
        answer = client.post(f"{room.path}save", body, "application/json", headers=accept)

        assert answer.json()["comments"] == {name: {"text": level, "version": version + 1}}
    assert kept(room) == {("A", "Method"): None}


def test_a_level_is_chosen_without_script(room):
    client = room.client("student")
    page = client.get(room.path)
    assert "Rubric: 0 of 4 levels chosen." in texts(page, "p")

    form = {f"level-A-{room.clarity.pk}": str(room.clear.pk), f"level-A-{room.method.pk}": ""}
    refused = client.post(f"{room.path}save", {**form, "place-A": "first"})
    assert (refused.status_code, kept(room)) == (422, {})
    assert f'value="{room.clear.pk}" form="ranking" checked' in refused.content.decode(), "nothing is lost"

    answer = client.post(f"{room.path}save", {**form, "before": "{}"}, follow=True)

    assert kept(room) == {("A", "Clarity"): "Clear"}
    assert "Rubric: 1 of 4 levels chosen." in texts(answer, "p")
    assert f'value="{room.clear.pk}" form="ranking" checked' in answer.content.decode()


def test_what_is_no_level_of_the_rubric_is_refused_and_nothing_is_kept(room):
    elsewhere = criterion(room.elsewhere).levels.first()
    theirs, other = room.method.levels.first(), room.clarity
    for level, by in ((elsewhere, elsewhere.criterion), (theirs, other), (None, elsewhere.criterion)):
        with pytest.raises(Refused, match="This is not a level of the rubric"):
            choose(room, "A", level, by)
    with pytest.raises(Refused, match="not the submissions assigned to you"):
        choose(room, "Z", room.clear)
    for value in ("x", "-1", "9" * 30):
        form = {f"level-A-{room.clarity.pk}": value}
        assert room.client("student").post(f"{room.path}save", form).status_code == 422
    assert kept(room) == {}


def test_a_required_level_is_asked_for_and_an_optional_one_is_not(room):
    choose(room, "A", room.unclear)
    saved = choose(room, "A", room.clear, tiers=[["A"], ["B"]])  # in another tab
    assert kept(room) == {("A", "Clarity"): "Clear"}
    assert (saved.levels[0].level, saved.levels[0].version) == (room.clear.pk, 2)

    with pytest.raises(Incomplete) as error:
        take(room)
    assert [(missing.code, missing.labels) for missing in error.value.missing] == [("no-level", ("B",))]
    page = room.client("student").post(f"{room.path}submit", {"before": "{}"})
    says = "You have not chosen a level for every required criterion for submission B."
    assert says in texts(page, "li")

    choose(room, "B", room.unclear)

    first, second = room.reviews
    assert take(room).levels == [chosen(first.pk, room.clear), chosen(second.pk, room.unclear)]


def test_another_level_after_submitting_is_not_submitted_and_says_so(room):
    choose(room, "A", room.clear, tiers=[["A"], ["B"]])
    choose(room, "B", room.clear)
    first = take(room)
    assert take(room) == first

    assert choose(room, "B", room.unclear).is_changed
    assert sheet_of(room.assignment, room.students[0]).is_changed
    second = take(room)

    assert (second.number, second.sha256 != first.sha256) == (2, True)


def test_a_program_submits_levels_and_reads_them(room):
    first, second = (review.submission_id for review in room.reviews)
    levels = [(first, room.clarity.pk, room.clear.pk), (second, room.clarity.pk, room.unclear.pk)]
    sent = {"assignment": room.assignment, "reviewer": room.students[0], "by": room.people["instructor"]}
    sent |= {"order": [[first], [second]], "comments": []}

    put_ranking(**sent, levels=levels)

    assert kept(room) == {("A", "Clarity"): "Clear", ("B", "Clarity"): "Unclear"}
    with pytest.raises(Refused, match="Submission 0 is not assigned to this reviewer"):
        put_ranking(**sent, levels=[(0, room.clarity.pk, room.clear.pk)])


# -- authors and staff read ----------------------------------------------------------------------------


def test_authors_see_the_levels_with_their_grade_and_no_names_and_staff_see_all(cast):
    """Every review has chosen "Clear"; one reviewer wrote nothing."""
    room = ReleaseRoom(cast)
    level = criterion(room.assignment).levels.first()
    for submitted in SubmittedRanking.objects.all():
        submitted.levels = [chosen(review, level) for (review,) in submitted.tiers]
        submitted.save()
    SubmittedRanking.objects.filter(ranking__reviewer=room.members[0]).update(comments=[])
    room.run()
    room.release()
    client = cast.client("neighbour")
    first = client.get(room.page("grade/"))
    assert "It is clear." not in first.content.decode(), "comments are rated before"
    assert texts(first, "h2").count("Reviewer 1") + texts(first, "h2").count("Reviewer 2") == 1

    (waiting,) = still_to_rate(room.grade_of(1))
    page = client.post(room.page("grade/rate"), {f"rate-{waiting.handle}": "4"}, follow=True)

    assert texts(page, "h3").count("Reviewer 1") == 1
    assert page.content.decode().count("It is clear.") == 2
    assert [one.name for one in room.members if one.name in page.content.decode()] == []

    page = cast.client("assistant").get(room.page(f"submissions/{room.submissions[1].pk}/"))
    assert {*texts(page, "h3")} == {f"Review by {room.members[number].name}" for number in (0, 3)}
    assert page.content.decode().count("It is clear.") == 2


# -- it enters the grade ---------------------------------------------------------------------------------


@pytest.fixture
def graded(cast) -> GradingRoom:
    """A class whose reviewers chose "Clear" for the better half; the first review lacks one criterion."""
    room = GradingRoom(cast)
    clear, unclear = criterion(room.assignment).levels.all()
    method = criterion(room.assignment, "Method").levels.first()
    good = Review.objects.filter(submission__in=room.submissions[:4]).values_list("pk", flat=True)
    for submitted in SubmittedRanking.objects.all():
        for (review,) in submitted.tiers:
            clarity = clear if review in good else unclear
            submitted.levels += [chosen(review, clarity), chosen(review, method)]
        submitted.save()
    first = SubmittedRanking.objects.order_by("pk")[0]
    first.levels = first.levels[1:]
    first.save()
    return room


def test_levels_enter_the_inputs_where_staff_say_so_and_enough_were_chosen(graded):
    def feedback() -> list[str]:
        return inputs_of(graded.assignment).files["feedback.csv"].decode().splitlines()

    graded.plan()
    assert feedback()[0] == "grader,item,rank,shown"
    assert options_of(plan_of(graded.assignment), rubric_scale=None).method is None

    graded.plan(rubric_counts=True)
    header, *rows = feedback()
    assert header == "grader,item,rank,shown,score"
    scores = [row.split(",")[4] for row in rows]
    assert (set(scores), scores.count("")) == ({"", "1", "2"}, 1)
    assert inputs_of(graded.assignment).rubric_scale == (0, 2)

    SubmittedRanking.objects.update(levels=[])
    assert inputs_of(graded.assignment).rubric_scale is None
    assert feedback()[0] == "grader,item,rank,shown"


def test_a_run_grades_rankings_and_rubric_together(graded):
    graded.plan(rubric_counts=True)

    run = graded.run()

    assert run.method == "COMBINED+G"
    assert is_planned(run)
    ranks = {grade.submission_id: grade.rank for grade in run.grades.all()}
    better = [ranks[submission.pk] for submission in graded.submissions[:4]]
    assert max(better) < min(ranks[submission.pk] for submission in graded.submissions[4:])

    approve_run(run=run, by=graded.by)
    files = zipfile.ZipFile(io.BytesIO(data_set_file(assignment=graded.assignment, by=graded.by)))
    assert files.read("feedback.csv").decode().splitlines()[0] == "grader,item,rank,shown,score"
    assert "--method COMBINED+G" in files.read("README.txt").decode()

    graded.plan(rubric_counts=False)
    assert not is_planned(run)


def test_staff_grades_are_on_their_own_scale(graded):
    graded.plan(rubric_counts=True, points_rule="staff")
    for submission, points in zip(graded.submissions[::2], (90, 80, 60, 50), strict=True):
        StaffGrade.objects.create(submission=submission, points=points, by=graded.by)

    run = graded.run()

    assert run.options["peer_scale"] == "0:2"
    assert {grade.staff for grade in run.grades.all()} == {90, 80, 60, 50, None}


def test_points_that_run_the_wrong_way_are_refused_in_words(graded, cast):
    graded.plan(rubric_counts=True)
    RubricLevel.objects.update(points=5 - F("points"))

    with pytest.raises(AmbiguousReadingError) as raised:
        graded.run()

    Job.objects.update(state=Job.State.FAILED, problem=describe_problem(raised.value))
    address = f"{graded.assignment.get_absolute_url()}grading/runs/{GradingRun.objects.get().key}/"
    page = cast.client("instructor").get(address).content.decode()
    assert "ranked better have fewer points by the rubric" in page


@pytest.mark.parametrize(
    ("levels", "plan", "says"),
    [
        (0, {}, "no levels with different points"),
        (1, {"method": "BT+G"}, "The chosen method is for rankings alone"),
    ],
)
def test_a_rubric_that_cannot_count_is_refused(cast, levels, plan, says):
    for _ in range(levels):
        criterion(cast.assignment)

    with pytest.raises(Refused, match=says):
        change_plan(assignment=cast.assignment, by=cast.people["instructor"], rubric_counts=True, **plan)

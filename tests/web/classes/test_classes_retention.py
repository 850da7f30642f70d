"""How long a course is kept, what is told before it is deleted, what is left; and room for its files."""

from datetime import UTC, datetime, timedelta

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.utils import timezone
from tests.web.classes import cast as casting

from peerage_web.accounts.models import Mail, Person
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.courses.services import change_course
from peerage_web.classes.enums import Phase
from peerage_web.classes.grading.models import GradingRun
from peerage_web.classes.retention.deletion import delete_course, paths_to_course
from peerage_web.classes.retention.queries import disk_usage_of, kept_until, months_later
from peerage_web.classes.retention.services import announced, keep_courses
from peerage_web.classes.submissions.models import SubmissionFile
from peerage_web.classes.submissions.queries import authors_with
from peerage_web.classes.submissions.services import add_files
from peerage_web.files.models import Job
from peerage_web.shared.errors import Full

DAY = timedelta(days=1)


@pytest.fixture
def old(cast):
    """A course whose last date was 370 days ago, with something of everything."""
    then = timezone.now() - 370 * DAY
    casting.objects_of(cast.assignment, cast.students[0], cast.people["instructor"])
    submissions = [casting.submit(cast.assignment, one) for one in cast.students[2:]]
    casting.allocate(cast.assignment, cast.students[0], submissions)
    Assignment.objects.filter(course=cast.course).update(due_at=then - 7 * DAY, reviews_due_at=then)
    cast.assignment.extensions.update(due_at=then - 6 * DAY)
    cast.assignment.releases.update(made_at=then)
    cast.assignment.appeals.update(opened_at=then)
    Course.objects.filter(pk=cast.course.pk).update(created_at=then - 100 * DAY)
    cast.course.refresh_from_db()
    return cast


def run_of(assignment: Assignment) -> GradingRun:
    """A run with a folder, which takes seven bytes."""
    run = casting.grading_run(assignment, assignment.course.created_by)
    Job.objects.filter(pk=run.job.pk).update(disk_bytes=7)
    (run.job.folder / "input").mkdir(parents=True)
    return run


def turn_back(days: int) -> None:
    """As if the day of a deletion that was announced had come so many days nearer."""
    entry = Event.objects.get(verb="deletion-announced")
    earlier = datetime.fromisoformat(entry.data["after"]) - days * DAY
    data = {**entry.data, "after": earlier.isoformat(timespec="minutes")}
    Event._base_manager.filter(pk=entry.pk).update(data=data)


def test_months_are_those_of_the_calendar():
    for start, months, end in (
        ((2026, 1, 31), 1, (2026, 2, 28)),
        ((2026, 11, 16), 14, (2028, 1, 16)),
        ((2024, 2, 29), 12, (2025, 2, 28)),
    ):
        assert months_later(datetime(*start, tzinfo=UTC), months) == datetime(*end, tzinfo=UTC)


def test_a_course_is_kept_unless_somebody_chose_otherwise_and_the_last_date_of_anybody_counts(old):
    assert kept_until(old.course) is None
    assert keep_courses() == 0
    assert not Event.objects.filter(verb="deletion-announced").exists()

    old.course.keep_months = 12
    later = timezone.now() + 5 * DAY
    old.assignment.extensions.update(reviews_due_at=later)

    assert kept_until(old.course) == months_later(later, 12)


def test_it_is_announced_told_once_more_and_deleted_with_an_entry(old):
    change_course(course=old.course, by=old.people["instructor"], keep_months=12)

    assert (keep_courses(), keep_courses()) == (0, 0)
    told = Mail.objects.get(kind="deletion")
    assert told.person == old.people["instructor"]
    assert old.course.name in told.subject
    assert "12 months" in told.text
    assert Event.objects.filter(verb="deletion-announced", course=old.course).count() == 1
    # its time was up already: instructors have two weeks all the same
    assert announced(old.course).at > timezone.now() + 13 * DAY

    turn_back(12)
    assert (keep_courses(), keep_courses()) == (0, 0)
    assert Mail.objects.filter(kind="deletion").count() == 2

    turn_back(5)
    assert (keep_courses(), keep_courses()) == (1, 0)
    assert not Course.objects.filter(pk=old.course.pk).exists()
    entry = Event.objects.get(verb="course-deleted")
    assert (entry.course, entry.actor) == (None, None)
    assert entry.data == {"title": "Course", "people": 9, "count": 5}
    assert Mail.objects.get(kind="deleted").person == old.people["instructor"]


def test_who_chooses_to_keep_it_keeps_it(old):
    change_course(course=old.course, by=old.people["instructor"], keep_months=12)
    keep_courses()
    turn_back(30)

    change_course(course=old.course, by=old.people["instructor"], keep_months=24)

    assert keep_courses() == 0
    assert announced(old.course) is None
    assert Course.objects.filter(pk=old.course.pk).exists()


@pytest.mark.both
def test_all_of_it_goes_and_nothing_of_others(old, django_capture_on_commit_callbacks):
    run = run_of(old.assignment)
    casting.objects_of(old.elsewhere, old.other_students[0], old.people["stranger"])
    copied = casting.assignment(old.other, copied_from=old.assignment)
    both = casting.join(old.other, old.students[1].person, casting.Role.STUDENT, student_id="both")
    mine = list(SubmissionFile.objects.filter(version__submission__assignment=old.assignment))
    others = SubmissionFile.objects.filter(version__submission__assignment=old.elsewhere).first()
    gone = old.students[0].person
    elsewhere = _rows_of(old.other)

    with django_capture_on_commit_callbacks(execute=True):
        delete_course(course=old.course, by=None)

    connection.check_constraints()
    assert not any(_rows_of(old.course).values())
    assert _rows_of(old.other) == elsewhere
    assert not any(one.folder.exists() for one in mine)
    assert others.folder.is_dir()
    assert not run.job.folder.exists()
    assert not Job.objects.filter(pk=run.job.pk).exists()
    assert not Person.objects.filter(pk=gone.pk).exists()
    assert Membership.objects.get(pk=both.pk).person == old.students[1].person
    assert Person.objects.filter(pk=old.people["instructor"].pk).exists()
    assert Assignment.objects.get(pk=copied.pk).copied_from is None


def _rows_of(course: Course) -> dict[str, int]:
    return {
        model.__name__: model._base_manager.filter(**{path: course.pk}).count()
        for model, path in paths_to_course().items()
    }


def test_every_model_is_part_of_a_course_or_known_not_to_be():
    apart = {"Person", "Identity", "Mail", "OneTimeLink", "SignIn", "Job", "RequestCount"}
    # a platform and its launches are of the whole service
    apart |= {"LtiDeployment", "LtiInvitation", "LtiKey", "LtiLogin", "LtiRegistration", "LtiTicket"}
    ours = {one.__name__ for one in apps.get_app_config("peerage_web").get_models()}
    parts = {one.__name__ for one in paths_to_course()}

    assert ours - parts == apart, "say whether the new model goes with its course"


def test_a_course_without_room_takes_no_more_and_says_so(cast):
    casting.move(cast.assignment, Phase.SUBMITTING)
    submission = casting.submit(cast.assignment, cast.students[1])
    SubmissionFile.objects.filter(version__submission=submission).update(disk_bytes=900_000)
    Course.objects.filter(pk=cast.course.pk).update(most_bytes=1 << 20)
    run_of(cast.assignment)
    assert (disk_usage_of(cast.course).taken, disk_usage_of(cast.other).taken) == (900_007, 0)
    authors = authors_with(Assignment.objects.get(pk=cast.assignment.pk), cast.students[0])
    large, small = (SimpleUploadedFile("a.txt", b"x" * size) for size in (200_000, 5))

    with pytest.raises(Full, match="Tell your instructor"):
        add_files(authors=authors, by=cast.people["student"], uploads=[large])

    assert SubmissionFile.objects.count() == 1
    add_files(authors=authors, by=cast.people["student"], uploads=[small])
    assert SubmissionFile.objects.count() == 2


def test_instructors_see_how_long_it_is_kept_and_how_much_room_is_left(old):
    client = old.client("instructor")
    path = f"{old.course.get_absolute_url()}settings"
    filled = {"name": "Course", "time_zone": "UTC", "language": "en", "keep_months": "12"}

    assert client.post(path, filled).status_code == 302

    assert Course.objects.get(pk=old.course.pk).keep_months == 12
    page = client.get(path).content.decode()
    assert "this course is kept until" in page
    assert "10 GB of storage for this course" in page
    assert Event.objects.filter(course=old.course, verb="course-changed", data__field="keep_months").exists()

    keep_courses()
    Course.objects.filter(pk=old.course.pk).update(most_bytes=1)
    SubmissionFile.objects.update(disk_bytes=5)
    page = client.get(old.course.get_absolute_url()).content.decode()
    assert "This course and everything in it will be deleted on" in page
    assert "When the storage is full" in page
    for word in ("student", "assistant"):
        assert "deleted on" not in old.client(word).get(old.course.get_absolute_url()).content.decode()

"""What went wrong can be put right: wrong files, unsubmitted changes, early allocations, whole courses."""

import io
from datetime import datetime, timedelta

import pikepdf
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from tests.web.classes.cast import allocate, move, submit
from tests.web.classes.childless import childless  # noqa: F401 - a fixture
from tests.web.classes.lists import Room
from tests.web.classes.release_room import ReleaseRoom
from tests.web.page_facts import texts, tree

from peerage_web.accounts.models import Mail, Person
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.allocation.models import Report, Review
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.assignments.services import first_due_in_future
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Phase
from peerage_web.classes.phases.services import take_step
from peerage_web.classes.progress.reminders import note_reviews_open
from peerage_web.classes.reassignment.reports import exclude_submission
from peerage_web.classes.release.models import Helpfulness
from peerage_web.classes.release.services import write_grade_mail
from peerage_web.classes.retention.services import keep_courses
from peerage_web.classes.reviewing import services as reviewing
from peerage_web.classes.reviewing.models import Comment, Ranking, SubmittedRanking
from peerage_web.classes.reviewing.queries import sheet_of
from peerage_web.classes.reviewing.ranking_input import CommentInput, RankingInput
from peerage_web.classes.submissions.models import Submission
from peerage_web.sandbox.contract.rendering import PageImage, ReviewCopy

NO_MAIL_SERVER = "peerage_web.accounts.mail_folder.EmailBackend"


def base(cast) -> str:
    return f"/c/{cast.course.key}/a/{cast.assignment.key}/"


def upload(cast, word, content: bytes, name: str, where="submission/"):
    files = {"files": [SimpleUploadedFile(name, content)]}
    return cast.client(word).post(base(cast) + where + "upload", files)


def test_blank_pdf_is_warned_about_before_it_is_submitted(cast):
    move(cast.assignment, Phase.SUBMITTING)
    kept = io.BytesIO()
    with pikepdf.new() as blank:
        blank.add_blank_page(page_size=(200, 300))
        blank.save(kept)
    upload(cast, "student", kept.getvalue(), "poster.pdf")

    page = cast.client("student").get(base(cast) + "submission/")

    assert "There is nothing to see" in texts(page, "h3")
    assert texts(page, ".big") == ["Submit blank pages anyway"]


def test_blank_is_what_reviewers_would_not_see():
    pages = [PageImage(f"page-00{number}.webp", 10, 10, blank=number == 1) for number in (1, 2)]
    half = ReviewCopy("pdf", "copy.pdf", pages)
    markup = ReviewCopy("markdown", "copy.md", text="# \n***\n", html="<h3></h3><hr>")
    words = ReviewCopy("markdown", "copy.md", text="# Tides", html="<h3>Tides</h3>")

    assert (half.blank_pages, half.is_blank) == (1, False)
    assert (markup.is_blank, words.is_blank) == (True, False)


@pytest.fixture
def reviewed(cast):
    """Two reviewers have the student's submission among three; the second has submitted a ranking."""
    submissions = [submit(cast.assignment, member) for member in cast.students]
    move(cast.assignment, Phase.REVIEWING)
    cast.submission = submissions[0]
    for reviewer in cast.students[3:5]:
        allocate(cast.assignment, reviewer, submissions[:3])
    save(cast, reviewer, [["A"], ["B"], ["C"]], CommentInput("A", None, "Good tides.", 0))
    reviewing.submit_ranking(assignment=cast.assignment, reviewer=reviewer, by=reviewer.person)
    Mail.objects.all().delete()
    return cast


def save(cast, member, tiers, *comments: CommentInput) -> reviewing.SavedRanking:
    sent = RankingInput(tiers, sheet_of(cast.assignment, member).version, comments)
    return reviewing.save(assignment=cast.assignment, reviewer=member, sent=sent)


def reopen(cast, days: float = 1):
    until = timezone.localtime(timezone.now() + timedelta(days=days), cast.course.zone)
    sent = {"until": f"{until:%Y-%m-%dT%H:%M}", "why": "All pages are blank."}
    where = f"{base(cast)}submissions/{cast.submission.pk}/reopen"
    return cast.client("instructor").post(where, sent, follow=True)


def replace(cast, word="student", where="submission/"):
    upload(cast, word, b"Tides, with words.\n", "tides.txt", where)
    return cast.client(word).post(base(cast) + where + "submit", {"number": 2}, follow=True)


def test_authors_replace_a_submission_that_staff_reopen(reviewed):
    student = reviewed.client("student")
    assert upload(reviewed, "student", b"Tides.\n", "tides.txt").status_code == 422, "it is under review"

    page = reopen(reviewed)

    mail = Mail.objects.get(person=reviewed.people["student"])
    assert mail.kind == "own_submission"
    assert "All pages are blank." in mail.text
    assert Event.objects.filter(verb="submission-reopened").count() == 1
    page = student.get(base(reviewed))
    assert any("Staff have reopened your submission." in text for text in texts(page, ".notice"))
    todo = student.get(f"/c/{reviewed.course.key}/").content.decode()
    assert "replace your submission, which staff have reopened" in todo

    exclude_submission(submission=reviewed.submission, by=reviewed.people["instructor"], why="blank")
    assert replace(reviewed).status_code == 200

    assert not Submission.objects.exclude(excluded_at=None).exists()
    version = reviewed.submission.versions.last()
    assert (version.number, version.is_late, version.submitted_at is not None) == (2, False, True)
    assert upload(reviewed, "student", b"Tides.\n", "tides.txt").status_code == 422, "once"
    told = Mail.objects.filter(kind="replaced")
    assert {mail.person_id for mail in told} == {member.person_id for member in reviewed.students[3:5]}
    author = reviewed.submission.author.shown_name
    assert [mail.text for mail in told if author in mail.subject + mail.text] == []


def test_what_reviewers_did_is_kept_and_marked_as_about_the_earlier_version(reviewed):
    before = SubmittedRanking.objects.get()
    reopen(reviewed)
    replace(reviewed)

    page = reviewed.client("instructor").get(f"{base(reviewed)}submissions/{reviewed.submission.pk}/")
    assert "Ranked in an earlier version" in texts(page, "h2")
    assert "Student 5" in texts(page, "li")
    assert SubmittedRanking.objects.get() == before
    assert Comment.objects.get().text == "Good tides."
    reviewer = reviewed.students[4]
    notices = texts(reviewed.client(reviewer).get(base(reviewed) + "reviews/"), ".notice")
    assert any(text.startswith("Submission A was replaced after you submitted") for text in notices)
    assert any(text.startswith("This submission was replaced:") for text in notices)

    again = reviewing.submit_ranking(assignment=reviewed.assignment, reviewer=reviewer, by=reviewer.person)
    assert again.number == 2, "the same ranking, about the new version"
    assert sheet_of(reviewed.assignment, reviewer).replaced == []


def test_staff_replace_an_excluded_submission_which_includes_it_and_settles_its_reports(reviewed):
    review = Review.objects.get(reviewer=reviewed.students[3], submission=reviewed.submission)
    Report.objects.create(review=review, reason="blank")
    exclude_submission(submission=reviewed.submission, by=reviewed.people["instructor"], why="blank")

    answer = replace(reviewed, "assistant", f"submissions/for/{reviewed.students[0].pk}/")

    assert (answer.status_code, reviewed.submission.versions.last().number) == (200, 2)
    assert Mail.objects.filter(kind="own_submission", person=reviewed.people["student"]).count() == 1
    assert Mail.objects.filter(kind="replaced").count() == 2
    assert not Submission.objects.exclude(excluded_at=None).exists()
    assert not Report.objects.filter(settled_at=None).exists()
    assert not Review.objects.filter(submission=reviewed.submission, state="excluded").exists()


def test_reopening_needs_a_time_in_which_it_can_be_done_and_ends_with_it(reviewed):
    for days, said in (-1, "Choose a time in the future."), (30, "Choose a time before the reviews are due."):
        page = reopen(reviewed, days)
        assert (page.status_code, said in page.content.decode()) == (422, True)
        assert not Submission.objects.exclude(reopened_until=None).exists()

    Submission.objects.update(reopened_until=timezone.now() - timedelta(minutes=1))
    assert upload(reviewed, "student", b"Tides.\n", "tides.txt").status_code == 422


def test_who_has_no_grade_is_not_told_that_one_is_there(cast):
    room = ReleaseRoom(cast)
    run = room.run()
    run.grades.filter(submission=room.submissions[0]).delete()
    room.release()

    write_grade_mail()

    subjects = {mail.person: mail.subject for mail in Mail.objects.filter(kind="grades")}
    assert subjects[cast.people["student"]] == "The grades for “Poster” have been released"
    assert subjects[cast.people["neighbour"]] == "Your grade for “Poster” is available"
    student = cast.client("student")
    course = student.get(f"/c/{cast.course.key}/").content.decode()
    assert "your grade and feedback are ready" not in course
    assert "no grade for a submission" in course
    for review in room.reviews_of(0):
        Helpfulness.objects.create(review=review, by=room.members[0], rating=4)
    page = student.get(base(cast)).content.decode()
    assert "Your grade is available." not in page
    assert "Your submission has no grade, because it could not be graded." in page


def close(cast) -> None:
    cast.assignment.refresh_from_db()
    take_step(assignment=cast.assignment, code="close", by=cast.people["instructor"])


def test_changes_after_submitting_say_so_on_all_three_pages_until_they_are_undone(reviewed):
    member = reviewed.students[4]
    pages = {
        base(reviewed) + "reviews/": "Not submitted:",
        base(reviewed): "Not submitted:",
        f"/c/{reviewed.course.key}/": "changes to your submitted ranking",
    }

    for tiers, is_changed in (([["C"], ["B"], ["A"]], True), ([["A"], ["B"], ["C"]], False)):
        assert save(reviewed, member, tiers).is_changed is is_changed
        for address, words in pages.items():
            page = reviewed.client(member).get(address)
            said = " ".join(texts(page, ".notice") + texts(page, "li"))
            assert (words in said) is is_changed, address


def test_complete_ranking_that_was_only_saved_counts_at_closing(reviewed):
    """It was saved in time, though it is counted later, so it is not late."""
    member, now = reviewed.students[3], timezone.now()
    save(reviewed, member, [["B"], ["A", "C"]], CommentInput("A", None, "Well done.", 0))
    page = reviewed.client(member).get(base(reviewed)).content.decode()
    assert "counts as saved when the review phase closes" in page
    Assignment.objects.update(due_at=now - timedelta(days=2), reviews_due_at=now - timedelta(hours=1))
    Ranking.objects.filter(reviewer=member).update(saved_at=now - timedelta(days=1))

    close(reviewed)

    kept = SubmittedRanking.objects.get(ranking__reviewer=member)
    assert [len(tier) for tier in kept.tiers] == [1, 2]
    assert [comment["text"] for comment in kept.comments] == ["Well done."]
    assert (kept.number, kept.is_late, kept.submitted_by) == (1, False, member.person)
    assert Event.objects.filter(verb="ranking-counted", subject=member, actor=None).count() == 1


def test_what_is_not_complete_or_names_somebody_is_not_counted(reviewed):
    member = reviewed.students[3]
    save(reviewed, member, [["A"], ["B"]])
    reviewing.count_saved_rankings(assignment=reviewed.assignment)
    assert not SubmittedRanking.objects.filter(ranking__reviewer=member).exists()

    named = CommentInput("A", None, f"This is by {reviewed.students[0].student_id}.", 0)
    save(reviewed, member, [["A"], ["B"], ["C"]], named, CommentInput("B", None, "Clear.", 0))
    close(reviewed)

    kept = SubmittedRanking.objects.get(ranking__reviewer=member)
    assert [comment["text"] for comment in kept.comments] == ["Clear."]


def test_saved_rankings_count_only_where_the_assignment_says_so(reviewed):
    member = reviewed.students[3]
    Assignment.objects.update(counts_saved=False)
    save(reviewed, member, [["A"], ["B"], ["C"]])
    page = reviewed.client(member).get(base(reviewed)).content.decode()
    assert "counts as saved when the review phase closes" not in page

    close(reviewed)

    assert not SubmittedRanking.objects.filter(ranking__reviewer=member).exists()


def test_allocation_is_discarded_before_reviewing_starts_and_made_anew(cast):
    room = Room(cast, 6)
    room.allocate()
    Assignment.objects.filter(pk=room.assignment.pk).update(allocates_itself=True)
    where = f"/c/{cast.course.key}/a/{room.assignment.key}/allocation"
    page = cast.client("assistant").get(where)
    assert "Discard this allocation" in texts(page, "button")

    answer = cast.client("assistant").post(where + "/discard", follow=True)

    assert "Preview" in texts(answer, "button")
    assert not Review.objects.filter(assignment=room.assignment).exists()
    assert not Assignment.objects.filter(allocates_itself=True).exists(), "or it would be back at once"
    assert Event.objects.get(verb="allocation-discarded").data == {"count": 18}

    room.review()  # now it is in use
    assert cast.client("instructor").post(where + "/discard").status_code == 409
    assert "Discard this allocation" not in texts(cast.client("instructor").get(where), "button")
    assert Review.objects.filter(assignment=room.assignment).count() == 18


def test_phase_closed_by_hand_before_its_date_shows_no_form_that_leads_nowhere(cast):
    move(cast.assignment, Phase.CLOSED)

    page = cast.client("student").get(base(cast) + "submission/")
    allocation = cast.client("instructor").get(base(cast) + "allocation")

    assert any("Submissions are closed." in text for text in texts(page, ".notice"))
    assert "Upload" not in texts(page, "button")
    assert "Allocation settings" not in texts(allocation, "h2")


def post(cast, word: str, what: str, **sent: object):
    return cast.client(word).post(f"/c/{cast.course.key}/{what}", sent, follow=True)


def test_hidden_course_is_there_for_staff_alone_and_stands_still(cast):
    cast.assignment.phase, cast.assignment.due_at = Phase.SUBMITTING, timezone.now() - timedelta(days=1)
    cast.assignment.save()

    post(cast, "instructor", "hide")

    assert cast.client("student").get(f"/c/{cast.course.key}/").status_code == 404
    assert cast.client("student").get(base(cast)).status_code == 404
    assert cast.client("observer").get(f"/c/{cast.course.key}/").status_code == 404
    listed = cast.client("assistant").get("/courses")
    assert "1 hidden course" in texts(listed, "summary")
    assert cast.client("assistant").get(base(cast)).status_code == 200
    assert Assignment.objects.get(pk=cast.assignment.pk).phase == "submitting", "no date moves it on"

    post(cast, "instructor", "show")

    assert cast.client("student").get(base(cast)).status_code == 200
    verbs = ("course-hidden", "course-shown")
    assert [Event.objects.filter(verb=verb).count() for verb in verbs] == [1, 1]


def test_course_is_deleted_after_two_weeks_in_which_that_can_be_cancelled(cast, monkeypatch):
    def is_there_after(days: int) -> bool:
        later = timezone.now() + timedelta(days=days)
        with monkeypatch.context() as patched:
            patched.setattr(timezone, "now", lambda: later)
            keep_courses()
        return Course.objects.filter(pk=cast.course.pk).exists()

    answer = post(cast, "instructor", "delete")
    assert "Nothing was deleted. Tick the box to confirm." in answer.content.decode()
    answer = post(cast, "instructor", "delete", sure="yes")

    assert "Cancel the deletion" in texts(answer, "button")
    mail = Mail.objects.get(kind="deletion")
    assert "An instructor wants to delete the course" in mail.text
    assert is_there_after(days=13)
    post(cast, "instructor", "keep")
    assert is_there_after(days=15)

    post(cast, "instructor", "delete", sure="yes")
    assert not is_there_after(days=15)
    assert "as an instructor wanted" in Mail.objects.get(kind="deleted").text


def test_course_is_copied_with_shifted_dates_and_without_people(cast):
    cast.course.time_zone = "Europe/Berlin"
    cast.course.save()
    Person.objects.update(may_create_courses=True)
    winter = datetime(2026, 1, 30, 23, 59, tzinfo=cast.course.zone)
    Assignment.objects.filter(pk=cast.assignment.pk).update(
        due_at=winter, reviews_due_at=winter + timedelta(days=7), reviews_per_student=4, practice="offered"
    )
    offered = first_due_in_future(cast.course, winter + timedelta(days=100))
    assert offered == winter.replace(month=5, day=15), "the same day of the week and hour"
    assert first_due_in_future(cast.course, winter - timedelta(days=1)) == winter
    cast.client("instructor").get(f"/c/{cast.course.key}/copy")

    post(cast, "instructor", "copy", name="Course", term="Summer", first_due="2026-06-26T23:59")

    copy = Course.objects.get(term="Summer")
    made = copy.assignments.get()
    assert (made.phase, made.reviews_per_student, made.practice) == (Phase.SETUP, 4, "offered")
    summer = datetime(2026, 6, 26, 23, 59, tzinfo=cast.course.zone)
    assert (made.due_at, made.reviews_due_at) == (summer, summer + timedelta(days=7))
    assert [member.person for member in copy.memberships.all()] == [cast.people["instructor"]]
    assert not made.submissions.exists()


def test_without_a_mail_server_there_are_links_to_copy_that_work(cast, settings):
    """But none to an account that opens more than this course, as the link chooses its password."""
    settings.EMAIL_BACKEND = NO_MAIL_SERVER
    Membership.objects.create(course=cast.other, person=cast.people["student"], role="student")
    Person.objects.filter(pk=cast.people["neighbour"].pk).update(may_create_courses=True)

    page = post(cast, "instructor", "people/invite")

    assert "on their way" not in page.content.decode()
    assert page.content.decode().count("This account is also used elsewhere.") == 2
    links = texts(page, ".hash")
    assert len(links) == len(cast.students) - 2
    assert Client().get("/link/" + links[0].rsplit("/", 1)[1]).status_code == 200


def test_without_a_mail_server_no_page_promises_mail(reviewed, settings):
    settings.EMAIL_BACKEND = NO_MAIL_SERVER
    staff, at = reviewed.client("instructor"), base(reviewed)
    note_reviews_open(reviewed.assignment)

    for path in (
        f"/c/{reviewed.course.key}/people",
        f"/c/{reviewed.course.key}/announcements",
        f"{at}progress",
        f"{at}submissions/{reviewed.submission.pk}/",
    ):
        text = staff.get(path).content.decode()
        assert "This site has no mail server, so nobody gets e-mail from it." in text, path
        assert "Remind the people shown" not in text
    listed = tree(staff.get(f"{at}progress")).all("tr")[1:]
    assert {row.all("td")[-1].content.strip() for row in listed} == {"–"}


def test_with_a_mail_server_invitations_are_on_their_way(cast):
    one = post(cast, "instructor", f"people/{cast.students[0].pk}/invite")
    rest = post(cast, "instructor", "people/invite")

    assert "1 invitation is on its way." in one.content.decode()
    assert "4 invitations are on their way." in rest.content.decode()
    assert texts(rest, ".hash") == []

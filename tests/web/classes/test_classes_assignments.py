"""Assignments: defaults, dates and their log, extensions, prompts, copies, and what students see."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from tests.web.classes.cast import allocate, move, submit
from tests.web.page_facts import fields as form_values
from tests.web.page_facts import texts, tree

from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.assignments import services as assignments
from peerage_web.classes.assignments import teams
from peerage_web.classes.assignments.models import Assignment, Extension, FeedbackPrompt, Team
from peerage_web.classes.assignments.queries import personal_dates
from peerage_web.classes.enums import Phase
from peerage_web.classes.grading.models import GradingPlan
from peerage_web.classes.markdown import cleaned, to_html, without_links
from peerage_web.shared.errors import Refused

KINDS = {"file_kinds": Assignment.Kind.values}  # ticks that share a name


def path(cast, rest: str = "") -> str:
    return cast.assignment.get_absolute_url() + rest


def change(cast, **changes) -> None:
    assignments.change_assignment(assignment=cast.assignment, by=cast.people["instructor"], **changes)


def extend(cast, member, **dates) -> None:
    given = {"due_at": None, "reviews_due_at": None, "reason": "hospital stay", **dates}
    by = cast.people["assistant"]
    assignments.grant_extension(assignment=cast.assignment, member=member, by=by, **given)


def test_defaults_are_enough(cast):
    client = cast.client("instructor")
    new = f"/c/{cast.course.key}/assignments/new"

    answer = client.post(new, {**form_values(client.get(new)), **KINDS, "title": "Essay"})

    assert answer.status_code == 302
    made = Assignment.objects.get(title="Essay")
    assert (made.phase, made.reviews_per_student, made.design) == (Phase.SETUP, 5, "spread")
    assert list(made.prompts.values_list("text", flat=True)) == [
        "What is good about this submission?", "What would make it better?",
    ]  # fmt: skip
    assert client.get(made.get_absolute_url()).status_code == 200


def test_edit_page_brings_back_what_is_there(cast):
    client = cast.client("instructor")
    before = Assignment.objects.filter(pk=cast.assignment.pk).values().get()

    answer = client.post(path(cast, "edit"), {**form_values(client.get(path(cast, "edit"))), **KINDS})

    assert answer.status_code == 302
    assert Assignment.objects.filter(pk=cast.assignment.pk).values().get() == before
    assert not Event.objects.exists()


def test_dates_change_with_a_record(cast):
    later = cast.assignment.due_at + timedelta(days=1)

    change(cast, due_at=later)

    (event,) = Event.objects.filter(verb="date-changed")
    assert (event.data["field"], event.data["after"]) == ("due_at", later.isoformat(timespec="minutes"))
    page = cast.client("instructor").get(path(cast, "dates"))
    assert any("moved the submission due date from" in text for text in texts(page, "td"))


def test_dates_out_of_order_are_refused(cast):
    start = cast.assignment.due_at - timedelta(days=7)
    for field, days, words in (
        ("late_until", 6, "The deadline for late submissions must be after the submission due date."),
        ("reviews_due_at", 7, "The review due date must be after the submission due date."),
        ("opens_at", 8, "The submission due date must be after the publication date."),
        ("release_at", 14, "The grade release date must be after the review due date."),
    ):
        with pytest.raises(Refused) as refused:
            change(cast, **{field: start + timedelta(days=days)})

        assert str(refused.value) == words
        cast.assignment.refresh_from_db()
    with pytest.raises(Refused, match="Set the submission due date"):
        change(cast, due_at=None)


def test_an_assistant_sets_no_date_that_releases(cast):
    """Grades go out on that date, and nobody is asked again."""
    helper, late = cast.client("assistant"), cast.assignment.reviews_due_at + timedelta(days=1)
    change(cast, release_at=late, by_date=False)

    for wanted in ({"release_at": late + timedelta(days=1)}, {"release_at": None}, {"by_date": True}):
        with pytest.raises(Refused, match="Only instructors can release grades"):
            assignments.change_assignment(assignment=cast.assignment, by=cast.people["assistant"], **wanted)
    for page, more in (("dates", {}), ("edit", KINDS)):
        given = form_values(helper.get(path(cast, page)))
        typed = {**given, **more, "release_at": "2026-01-01T10:00", "title": "Saved"}
        assert helper.post(path(cast, page), typed).status_code == 302
    new = f"/c/{cast.course.key}/assignments/new"
    typed = {**form_values(helper.get(new)), **KINDS, "title": "Essay", "release_at": "2099-01-01T10:00"}
    assert helper.post(new, typed).status_code == 302

    kept = Assignment.objects.filter(course=cast.course).values_list("title", "release_at")
    assert dict(kept) == {"Saved": late, "Essay": None}


def test_what_is_allocated_stays(cast):
    move(cast.assignment, Phase.REVIEWING)
    change(cast, title="Another title")

    with pytest.raises(Refused, match="already allocated"):
        change(cast, reviews_per_student=4)


def test_students_see_their_own_dates(cast):
    move(cast.assignment, Phase.SUBMITTING)
    later = cast.assignment.due_at + timedelta(days=3)
    extend(cast, cast.students[0], due_at=later)
    due = cast.assignment.due_at
    late = Assignment(late_until=due + timedelta(days=1))
    assert personal_dates(late, Extension(due_at=later))["late_until"] == later, "not before the extension"

    mine, theirs = (cast.client(word).get(path(cast)) for word in ("student", "neighbour"))

    assert (mine.context["dates"]["due_at"], theirs.context["dates"]["due_at"]) == (later, due)
    assert b"hospital" not in mine.content


def test_extension_is_given_and_taken_on_the_page_and_extends_something(cast):
    client, one = cast.client("assistant"), cast.students[0]
    given = {"extension-member": one.pk, "extension-due_at": "2090-01-02T03:04", "extension-reason": "ill"}

    wrong = client.post(path(cast, "extensions"), {**given, "extension-member": cast.other_students[0].pk})
    client.post(path(cast, "extensions"), given)

    assert wrong.status_code == 422
    extension = Extension.objects.get()
    assert (extension.membership, extension.reason) == (one, "ill")

    client.post(path(cast, f"extensions/{extension.pk}/remove"))

    assert not Extension.objects.exists()
    assert set(Event.objects.values_list("verb", flat=True)) == {"extension-granted", "extension-removed"}
    due, reviews_due = cast.assignment.due_at, cast.assignment.reviews_due_at
    for dates in ({}, {"due_at": due - timedelta(days=1)}, {"reviews_due_at": reviews_due}):
        with pytest.raises(Refused):
            extend(cast, one, **dates)
    with pytest.raises(Refused, match="Only students in this course"):
        extend(cast, cast.other_students[0], due_at=due + timedelta(days=30))


def test_answered_prompts_are_retired_not_deleted(cast):
    change(cast, prompts=[("Good?", True), ("Better?", False)])
    (review,) = allocate(cast.assignment, cast.students[1], [submit(cast.assignment, cast.students[0])])
    review.comments.create(prompt=FeedbackPrompt.objects.get(text="Good?"), text="yes")

    change(cast, prompts=[("Better?", False)])

    kept = [(one.text, one.retired_at is None) for one in FeedbackPrompt.objects.order_by("pk")]
    assert kept == [("Good?", False), ("Better?", True)]


def test_copy_has_everything_but_dates_and_submissions(cast):
    change(cast, prompts=[("Good?", True)], in_teams=True, instructions="**Do** it")
    by = cast.people["instructor"]
    teams.set_teams(assignment=cast.assignment, teams={cast.students[0].pk: "x"}, by=by)
    plan = {"scale_high": 20, "letters": "A=90,B=0", "completeness_weight": 70}
    plan |= {"appeal_days": 3, "appeals_each": 2}
    GradingPlan.objects.create(assignment=cast.assignment, **plan)

    copy = assignments.duplicate_assignment(assignment=cast.assignment, by=by, title="Again")

    assert (copy.instructions, copy.due_at, copy.phase) == ("**Do** it", None, Phase.SETUP)
    assert copy.key != cast.assignment.key
    assert teams.teams_of(assignment=copy) == {cast.students[0].pk: "x"}
    assert [one.text for one in copy.prompts.all()] == ["Good?"]
    assert GradingPlan.objects.filter(assignment=copy, **plan).exists()


def test_students_do_not_see_what_is_being_set_up_and_deleting_leaves_the_record(cast):
    assert cast.client("student").get(path(cast)).status_code == 404
    assert "Poster" not in cast.client("student").get(f"/c/{cast.course.key}/").content.decode()

    cast.client("instructor").post(path(cast, "delete"))

    assert not Assignment.objects.filter(pk=cast.assignment.pk).exists()
    assert Event.objects.get(verb="assignment-deleted").data == {"title": "Poster"}


def test_teams_come_from_the_groups_of_the_roster(cast):
    for one, group in zip(cast.students, ("x", "x", "y", "", ""), strict=True):
        type(one).objects.filter(pk=one.pk).update(group=group)

    change(cast, in_teams=True)

    assert sorted(teams.teams_of(assignment=cast.assignment).values()) == ["x", "x", "y"]


def test_team_page_changes_the_teams_of_those_on_it_but_who_submitted_alone_stays_alone(cast):
    client, (one, two, far) = cast.client("assistant"), (*cast.students[:2], cast.other_students[0])

    client.post(path(cast, "teams"), {f"team-{one.pk}": "a", f"team-{two.pk}": " a "})
    client.post(path(cast, "teams"), {f"team-{one.pk}": "b"})
    assert teams.teams_of(assignment=cast.assignment) == {one.pk: "b", two.pk: "a"}
    client.post(path(cast, "teams"), {f"team-{two.pk}": ""})
    elsewhere = client.post(path(cast, "teams"), {f"team-{far.pk}": "a"})

    assert teams.teams_of(assignment=cast.assignment) == {one.pk: "b"}
    assert list(Team.objects.values_list("name", flat=True)) == ["b"]
    assert elsewhere.status_code == 422
    submit(cast.assignment, two)
    with pytest.raises(Refused, match="Student 2 already submitted alone"):
        teams.set_teams(assignment=cast.assignment, teams={two.pk: "b"}, by=cast.people["instructor"])


HOSTILE = (
    "<script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "![x](https://example.org/pixel.png)",
    '<img src=x onerror="alert(1)">',
    "<style>*{display:none}</style>",
    '[x](https://example.org "a" onclick=b)',
    "<a href='javascript:x'>x</a>",
)


def test_instructions_run_nothing_and_load_nothing_and_keep_their_form():
    for text in HOSTILE:
        html = SimpleNamespace(content=f"<main>{to_html(text)}</main>".encode())

        nodes = list(tree(html).walk())
        assert not {node.tag for node in nodes} & {"script", "img", "style", "iframe"}, text
        assert not [name for node in nodes for name in node.attrs if name.startswith("on")], text
        assert not [node for node in nodes if "javascript" in node.attrs.get("href", "")], text

    assert to_html("# Title\n\n**bold** and [link](https://example.org)") == (
        "<h3>Title</h3>\n<p><strong>bold</strong> and "
        '<a href="https://example.org" rel="noopener noreferrer nofollow">link</a></p>\n'
    )


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ('<p>See <a href="https://me.example/a?b=1&amp;c">my page</a>.</p>',
         "<p>See my page (https://me.example/a?b=1&amp;c).</p>"),
        ('<a href="https://me.example/">https://me.example/</a>', "https://me.example/"),
        ('<a href="mailto:me@example.org"><em>ask</em> me</a>', "<em>ask</em> me (mailto:me@example.org)"),
        ("<a href='https://a.example/\"><b>x</b>'>y</a>", "y (https://a.example/%22&gt;&lt;b&gt;x&lt;/b&gt;)"),
        ("<a href='javascript:alert(1)'>y</a>", "y"),
        ('<a href="https://a.example"><a href="https://b.example">z</a>', " (https://a.example)z (https://b.example)"),
    ],
)  # fmt: skip
def test_links_of_submissions_are_text(raw, shown):
    """Whoever follows one tells its owner that, and from where, the submission is being read."""
    text = without_links(cleaned(raw))

    assert text.replace("&quot;", "%22") == shown
    assert "<a" not in text

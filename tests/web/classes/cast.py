"""The people of the tests: a course with everybody in it, another course, and objects of both."""

import json
from datetime import timedelta
from string import ascii_uppercase

from django.test import Client
from django.utils import timezone
from tests.web.page_facts import broken_rules

from peerage_web.accounts.models import Person
from peerage_web.accounts.services.tokens import Scope, add_token
from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment, Extension, Team
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.enums import Phase, Role
from peerage_web.classes.submissions.models import Submission, SubmissionFile
from peerage_web.files.models import Job

PIXEL = bytes.fromhex(  # the smallest PNG
    "89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c02"
    "0000000b4944415478da6364f80f00010501012718e3660000000049454e44ae426082"
)


class PageClient(Client):
    """Fails where a page breaks one of our rules; of each kind of page it looks at the first."""

    def __init__(self, **defaults: object) -> None:
        super().__init__(**defaults)
        self._seen: set[tuple[str, int]] = set()

    def request(self, **request: object):
        answer = super().request(**request)
        name = "" if answer.status_code == 404 else answer.resolver_match.url_name
        kind = (name, answer.status_code)
        is_page = not answer.streaming and b'<html lang="en"' in answer.content
        if is_page and kind not in self._seen:
            self._seen.add(kind)
            broken = broken_rules(answer)
            assert broken == [], f"{kind}: {broken}"
        return answer


class Cast:
    """`people` by word; `course` and `assignment` are theirs, `other` and `elsewhere` another course's."""

    def __init__(self) -> None:
        self.people = {
            word: Person.objects.create_user(f"{word}@example.org", name=word.title())
            for word in ("instructor", "assistant", "observer", "dropped", "stranger")
        }
        may = {"is_operator": True, "may_create_courses": True}
        self.people["operator"] = Person.objects.create_user("operator@example.org", name="Operator", **may)
        self.course = course(self.people["instructor"], "Course")
        for word in ("assistant", "observer", "dropped"):
            join(self.course, self.people[word], Role(word))
        self.students = students(self.course, 5, "student")
        self.people["student"], self.people["neighbour"] = (one.person for one in self.students[:2])
        self.assignment = assignment(self.course)
        self.other = course(self.people["stranger"], "Other")
        self.other_students = students(self.other, 5, "far")
        self.elsewhere = assignment(self.other)

    def client(self, who: str | Membership | None) -> Client:
        client = PageClient()
        if who is not None:
            client.force_login(self.people[who] if isinstance(who, str) else who.person)
        return client

    def member(self, word: str) -> Membership:
        return Membership.objects.get(course=self.course, person=self.people[word])


def course(by: Person, name: str) -> Course:
    made = by.courses_created.create(name=name)
    join(made, by, Role.INSTRUCTOR)
    return made


def join(where: Course, person: Person, role: Role, **fields: str) -> Membership:
    dropped = timezone.now() if role == Role.DROPPED else None
    fields = {"name": person.name, **fields}
    return where.memberships.create(person=person, role=role, dropped_at=dropped, **fields)


def students(where: Course, count: int, word: str) -> list[Membership]:
    people = [
        Person.objects.create_user(f"{word}{number}@example.org", name=f"{word.title()} {number}")
        for number in range(1, count + 1)
    ]
    return [join(where, one, Role.STUDENT, student_id=f"{word}-{one.pk}") for one in people]


def assignment(where: Course, **fields: object) -> Assignment:
    now = timezone.now().replace(second=0, microsecond=0)
    dates = {"due_at": now + timedelta(days=7), "reviews_due_at": now + timedelta(days=14)}
    return where.assignments.create(title="Poster", **{**dates, "reviews_per_student": 2, **fields})


def submit(where: Assignment, member: Membership) -> Submission:
    """A submission with one file, whose copy for reviewers is ready, as if the sandbox had made it."""
    submission, _made = where.submissions.get_or_create(author=member)
    number, sha256 = submission.versions.count() + 1, "0" * 64
    version = submission.versions.create(
        number=number, sha256=sha256, submitted_at=timezone.now(), uploaded_by=member.person
    )
    poster = {"name": "poster.png", "kind": "image", "bytes": len(PIXEL), "sha256": sha256, "pages": 1}
    put_copy(version.files.create(position=1, state="ready", **poster))
    return submission


def extend(where: Assignment, member: Membership, **dates: object) -> Extension:
    return where.extensions.create(membership=member, granted_by=where.course.created_by, **dates)


def team_up(where: Assignment, members: list[Membership], name: str = "Two") -> Team:
    team = where.teams.create(name=name)
    for member in members:
        team.members.create(assignment=where, membership=member)
    return team


def put_copy(file: SubmissionFile) -> None:
    """Files on the disk, as making a copy leaves them."""
    shown = file.folder / "shown"
    shown.mkdir(parents=True)
    (file.folder / "original").write_bytes(PIXEL)
    for name in ("page-001.png", "copy.png"):
        (shown / name).write_bytes(PIXEL)
    picture = {"name": "page-001.png", "width": 1, "height": 1, "text": ""}
    made = {"kind": "image", "download": "copy.png", "pictures": [picture], "left_out": {}}
    (shown / "shown.json").write_text(json.dumps({**made, "text": "", "html": "", "hidden": ""}))


def allocate(where: Assignment, reviewer: Membership, submissions: list[Submission]) -> list[Review]:
    """Reviews with the next labels of this reviewer."""
    run = where.allocation_runs.create(kind="first", design="spread")
    begin = where.reviews.filter(reviewer=reviewer).count()
    return [
        where.reviews.create(
            reviewer=reviewer, submission=submission, run=run, label=ascii_uppercase[place], position=place
        )
        for place, submission in enumerate(submissions, begin)
    ]


def objects_of(where: Assignment, member: Membership, by: Person) -> dict[str, object]:
    """One object of every kind that stands in addresses, all of them this member's."""
    submission = submit(where, member)
    others = where.course.memberships.filter(role=Role.STUDENT).exclude(pk=member.pk).order_by("pk")
    (review,) = allocate(where, member, [submit(where, others[0])])
    add_token(name=f"token of {member.pk}", days=9, scope=Scope(where.course_id, by))
    kept = where.course.roster_imports.create(uploaded_by=by, file_name="roster.csv")
    (kept.folder / "input").mkdir(parents=True)
    (kept.folder / "input" / "roster.csv").write_text("email\nnew@example.org\n")
    return {
        "member": member.pk,
        "team": team_up(where, [member], f"team of {member.pk}").pk,
        "extension": extend(where, member, due_at=where.due_at + timedelta(days=1)).pk,
        "submission": submission.pk,
        "roster_import": kept.key,
        "submitted_ranking": submit_ranking(where, member).receipt,
        "token": where.course.tokens.get(name=f"token of {member.pk}").pk,
        "webhook": where.course.webhooks.create(url="https://example.org/", made_by=by).pk,
        "example": where.practice_examples.create(position=0, place=1, title="One").key,
        "question": where.survey_questions.create(position=9, kind="text", text="Why?").pk,
        "criterion": criterion(where).pk,
        "comment": review.comments.create(text="Clear and short.").pk,
        "announcement": where.course.announcements.create(title="Room", text="Room 4.", made_by=by).pk,
        "run": grading_run(where, by).key,
        "appeal": appeal_of(where, member, submission).key,
    }


def criterion(where: Assignment, name: str = "Clarity", **fields: object):
    """A criterion of the rubric with two levels; the same one where it is there already."""
    defaults = {"position": where.rubric.count() + 1, **fields}
    made, is_new = where.rubric.get_or_create(name=name, defaults=defaults)
    for number, word in enumerate(("Clear", "Unclear") if is_new else ()):
        description = f"It is {word.lower()}."
        made.levels.create(position=number, name=word, points=1 - number, description=description)
    return made


def appeal_of(where: Assignment, member: Membership, submission: Submission, release=None, **fields: object):
    """An open appeal against this release, or against one that is over."""
    if release is None:
        run, number = grading_run(where, member.person), 100 + where.releases.count()
        release = where.releases.create(number=number, run=run, ended_at=timezone.now())
    fields = {"reason": "Look again, please.", "opened_by": member.person, **fields}
    return where.appeals.create(membership=member, submission=submission, release=release, **fields)


def grading_run(where: Assignment, by: Person, **fields: object):
    """A run that is done and says nothing; `grading_room` has real ones."""
    job = Job.objects.create(
        visitor="course", origin="class", expires_at=None, state="done", attempt=1, file_name="feedback.csv"
    )
    given = {"number": where.grading_runs.count() + 1, "version": "0", "method": "PL+G", "made_by": by}
    given |= {"inputs_sha256": "0" * 64, "drawn_at": timezone.now()}
    given |= {"options": {"scale": "0:100", "letters": None, "seed": 0}}
    given |= {"plan": {"quality": 50, "completeness": 50, "helpfulness": 0, "reviewing": 20}}
    return where.grading_runs.create(job=job, **{**given, **fields})


def submit_ranking(where: Assignment, member: Membership, tiers: object = (), **fields: object):
    """A ranking of reviews by their numbers, as if its page had sent it."""
    ranking, _made = where.rankings.get_or_create(reviewer=member)
    given = {"comments": [], "submitted_at": timezone.now(), "number": ranking.submitted.count() + 1}
    given |= {"version": 0, "sha256": "0" * 64, "submitted_by": member.person, "tiers": list(tiers)}
    return ranking.submitted.create(**{**given, **fields})


def move(where: Assignment, phase: Phase) -> None:
    Assignment.objects.filter(pk=where.pk).update(phase=phase)
    where.refresh_from_db()


def begin_ranking(where: Assignment, member: Membership):
    return where.rankings.create(reviewer=member, tiers=[["A"]], version=1)

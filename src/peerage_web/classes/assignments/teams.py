"""Teams of one assignment."""

from collections.abc import Mapping

from django.db import transaction
from django.utils.translation import gettext as _

from peerage_web.accounts.models import Person
from peerage_web.classes.activity_log.services import record
from peerage_web.classes.assignments.models import Assignment, Team, TeamMember
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.enums import Role
from peerage_web.classes.submissions.models import Submission
from peerage_web.shared.errors import Refused

LONGEST_NAME = 100


def teams_of_groups(*, assignment: Assignment) -> dict[int, str]:
    """Member to team, as the groups of the roster have it."""
    members = Membership.objects.filter(course=assignment.course_id, role=Role.STUDENT).exclude(group="")
    return dict(members.values_list("pk", "group"))


def teams_of(*, assignment: Assignment) -> dict[int, str]:
    """Member to team, as it is."""
    return dict(TeamMember.objects.filter(assignment=assignment).values_list("membership", "team__name"))


def set_teams(*, assignment: Assignment, teams: Mapping[int, str], by: Person) -> None:
    """Put every member into the team of this name ("" for none); teams without anybody go.

    A team that has submitted keeps its row whatever happens to its members, so that its submission stays.
    """
    with transaction.atomic():
        Assignment.objects.select_for_update().get(pk=assignment.pk)
        before = teams_of(assignment=assignment)
        wanted = {member: name.strip() for member, name in teams.items() if name.strip()}
        if before == wanted:
            return
        _check(assignment, wanted)
        teams_by_name = {team.name: team for team in Team.objects.filter(assignment=assignment)}
        for name in sorted(set(wanted.values()) - set(teams_by_name)):
            teams_by_name[name] = Team.objects.create(assignment=assignment, name=name)
        TeamMember.objects.filter(assignment=assignment).delete()
        TeamMember.objects.bulk_create(
            TeamMember(assignment=assignment, membership_id=member, team=teams_by_name[name])
            for member, name in sorted(wanted.items())
        )
        empty = Team.objects.filter(assignment=assignment, members=None)
        empty.exclude(pk__in=Submission.objects.filter(assignment=assignment).values("team")).delete()
        record("teams-changed", by=by, assignment=assignment, count=len(set(wanted.values())))


def _check(assignment: Assignment, wanted: Mapping[int, str]) -> None:
    students = set(
        Membership.objects.filter(course=assignment.course_id, role=Role.STUDENT).values_list("pk", flat=True)
    )
    if not set(wanted) <= students:
        raise Refused(_("Somebody in these teams is no longer a student in this course."))
    long = next((name for name in wanted.values() if len(name) > LONGEST_NAME), None)
    if long is not None:
        raise Refused(_("A team name can have at most %(most)d characters.") % {"most": LONGEST_NAME})
    _keep_authors(assignment, wanted)


def _keep_authors(assignment: Assignment, wanted: Mapping[int, str]) -> None:
    """Who has submitted alone cannot join a team afterwards: the submission would have no place."""
    alone = Submission.objects.filter(assignment=assignment, author__in=list(wanted)).select_related(
        "author__person"
    )
    names = ", ".join(
        submission.author.shown_name
        for submission in alone.select_related("author__person")[:5]
        if submission.author is not None
    )
    if names:
        raise Refused(
            _("%(names)s already submitted alone and can no longer join a team.") % {"names": names}
        )

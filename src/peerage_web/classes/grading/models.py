"""How an assignment is graded, its runs, staff grades and staff rankings, and what is set by hand."""

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.keys import short_key
from peerage_web.classes.submissions.models import Submission
from peerage_web.files.models import Job


def decimals(low: float, high: float) -> int:
    """After the point, of points on every page: a thousandth of the scale is finer than any estimate."""
    return 1 if high - low >= 20 else 2


class PointsRule(models.TextChoices):
    """What turns a ranking into grades: rankings say which submission is better, not how good it is."""

    STAFF = (
        "staff",
        _("Staff grades (recommended): staff grade at least three submissions, and the others follow"),
    )
    CURVE = "curve", _("A curve: you choose the mean and the standard deviation of the class")
    QUOTAS = "quotas", _("Quotas: fixed shares of the class get each letter; there are no points")
    COMPLETE = (
        "complete",
        _("Complete or incomplete: every submission that was reviewed is complete; there are no points"),
    )
    STANDING = "standing", _("Standing only: where a submission stands in the class; no points, no letters")


class Shown(models.TextChoices):
    POINTS = "points", _("Points")
    LETTER = "letter", _("Letter grade")
    INTERVAL = "interval", _("Likely range of the points")
    CHANCE = "chance", _("Probability of the letter grade")
    STANDING = "standing", _("Standing in the class")


def usually_shown() -> list[str]:
    """Points or letter with the range; a chance of a letter raises more questions than it answers."""
    return [Shown.POINTS.value, Shown.LETTER.value, Shown.INTERVAL.value]


class GradingPlan(models.Model):
    """What staff decided about the grades of one assignment; made with its first look at grading."""

    class Missing(models.TextChoices):
        NOTHING = "nothing", _("no points")
        LOWEST = "lowest", _("the minimum points")

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="grading_plan")
    method = models.CharField(max_length=40, blank=True)  # a code of the library; empty: Peerage chooses
    scale_low = models.FloatField(default=0)
    scale_high = models.FloatField(default=100)
    points_rule = models.CharField(max_length=8, choices=PointsRule, default=PointsRule.STAFF)
    curve_mean = models.FloatField(default=75)
    curve_sd = models.FloatField(default=10)
    letters = models.CharField(max_length=300, blank=True)  # as `peerage grade --letters` has it
    shown = models.JSONField(default=usually_shown, blank=True)  # of `Shown`, from the next release on
    # the mark for reviewing: what of it is completeness, and what is the helpfulness that authors rated; the
    # rest is quality, as the library measures it
    completeness_weight = models.PositiveSmallIntegerField(default=50)
    helpfulness_weight = models.PositiveSmallIntegerField(default=0)
    # what students without a submission get for it, and what a late one loses for each day it began
    missing_get = models.CharField(max_length=8, choices=Missing, default=Missing.NOTHING)
    late_penalty = models.FloatField(default=0)
    late_penalty_most = models.FloatField(null=True, blank=True)  # None: down to the lowest points
    rubric_counts = models.BooleanField(default=False)  # its points, as scores beside the rankings
    rates_helpfulness = models.BooleanField(default=True)  # authors rate comments before they see a grade
    appeal_days = models.PositiveSmallIntegerField(default=7)  # after release; 0: no appeals
    appeals_each = models.PositiveSmallIntegerField(default=1)
    has_survey = models.BooleanField(default=True)

    class Meta:
        constraints = [
            models.CheckConstraint(name="scale_goes_up", condition=Q(scale_low__lt=F("scale_high"))),
            models.CheckConstraint(
                name="reviewing_weights_are_shares",
                condition=Q(completeness_weight__lte=100 - F("helpfulness_weight")),
            ),
            models.CheckConstraint(
                name="late_penalty_takes_points",
                condition=Q(late_penalty__gte=0)
                & (Q(late_penalty_most__isnull=True) | Q(late_penalty_most__gt=0)),
            ),
        ]

    @property
    def decimals(self) -> int:
        return decimals(self.scale_low, self.scale_high)

    @property
    def gives_points(self) -> bool:
        """Whether submissions get points; else letters, a word, or nothing."""
        return self.points_rule in (PointsRule.STAFF, PointsRule.CURVE)


class StaffGrade(models.Model):
    """What staff think a submission is worth, on the plan's scale: an anchor. The newest of each counts."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="staff_grades")
    points = models.FloatField()
    reason = models.CharField(max_length=1000, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "by"],
                condition=Q(withdrawn_at__isnull=True),
                name="one_staff_grade_each",
            ),
        ]


class StaffRanking(models.Model):
    """How somebody of the staff ranks some submissions; read as one more list of feedback."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="staff_rankings")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    tiers = models.JSONField()  # primary keys of submissions, best first
    at = models.DateTimeField(auto_now_add=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["at", "pk"]


class GradingRun(models.Model):
    """One run of the engine over an assignment. Its job waits, runs, is cancelled and survives like all jobs.

    Its inputs and the library's own files stay in the job's folder; `inputs_sha256` is of the inputs. Rows of
    `RunGrade` and `RunReviewer` are drawn from them once, when it is done.
    """

    class Purpose(models.TextChoices):
        GRADES = "grades", "grades of the assignment"
        APPEAL = "appeal", "a look at what an appeal would change"

    key = models.CharField(max_length=16, unique=True, default=short_key, editable=False)
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="grading_runs")
    number = models.PositiveSmallIntegerField()  # 1, 2, … of this assignment
    purpose = models.CharField(max_length=8, choices=Purpose, default=Purpose.GRADES)
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="grading_run")
    inputs_sha256 = models.CharField(max_length=64)
    options = models.JSONField(default=dict)  # method, scale, letters, seed as asked for
    plan = models.JSONField(default=dict)  # weights of the mark for reviewing and the scale, at that time
    version = models.CharField(max_length=40)  # of the library
    method = models.CharField(max_length=40, blank=True)  # that was used
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    made_at = models.DateTimeField(auto_now_add=True)
    drawn_at = models.DateTimeField(null=True, blank=True)  # since when its rows are there
    approved_at = models.DateTimeField(null=True, blank=True)
    approved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    confirmed_at = models.DateTimeField(null=True, blank=True)  # what is unusual about its grades is meant so

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "number"], name="runs_are_numbered"),
            models.CheckConstraint(
                name="approved_runs_are_done",
                condition=Q(approved_at__isnull=True) | Q(drawn_at__isnull=False, purpose="grades"),
            ),
        ]

    @property
    def points_rule(self) -> PointsRule:
        """What made its points or letters; that of the plan, but with too few staff grades there are none."""
        if self.options.get("complete"):
            return PointsRule.COMPLETE
        if self.options.get("curve"):
            return PointsRule.CURVE
        if self.options.get("anchors_as_evidence"):
            return PointsRule.STAFF
        return PointsRule.QUOTAS if self.options.get("letters") else PointsRule.STANDING

    @property
    def has_rubric(self) -> bool:
        """Whether points of the rubric counted beside the rankings."""
        return "score" in self.options.get("reading", {}).get("columns", {})

    @property
    def has_points(self) -> bool:
        """Whether it says more of a submission than where it stands."""
        return self.points_rule in (PointsRule.STAFF, PointsRule.CURVE)

    @property
    def scale(self) -> tuple[float, float]:
        text = self.plan.get("scale") or self.options.get("scale") or "0:100"
        low, _colon, high = str(text).partition(":")
        return float(low), float(high)

    @property
    def decimals(self) -> int:
        return decimals(*self.scale)

    @property
    def point_decimals(self) -> int:
        """Of the points of a submission: by letters that begin at points, none is shown as 85 that is a B.

        The library has rounded such points to one or two decimals before it gave letters.
        """
        return max(self.decimals, 2) if ">=" in str(self.options.get("letters") or "") else self.decimals


class RunGrade(models.Model):
    """What a run says about one submission; the columns of the library's grades."""

    run = models.ForeignKey(GradingRun, on_delete=models.CASCADE, related_name="grades")
    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="run_grades")
    rank = models.PositiveIntegerField()
    rank_low = models.PositiveIntegerField()
    rank_high = models.PositiveIntegerField()
    percentile = models.FloatField(null=True, blank=True)  # of the class at or below it
    percentile_low = models.FloatField(null=True, blank=True)
    percentile_high = models.FloatField(null=True, blank=True)
    # empty where nothing turns the ranking into points
    points = models.FloatField(null=True, blank=True)
    points_low = models.FloatField(null=True, blank=True)
    points_high = models.FloatField(null=True, blank=True)
    letter = models.CharField(max_length=20, blank=True)
    letter_chance = models.FloatField(null=True, blank=True)
    reviews = models.PositiveIntegerField(default=0)
    staff = models.FloatField(null=True, blank=True)  # the staff grade it was held to
    attention = models.PositiveIntegerField(null=True, blank=True)  # place on the library's staff list

    class Meta:
        ordering = ["rank", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["run", "submission"], name="a_submission_once_per_run")
        ]


class RunReviewer(models.Model):
    """What a run says about one reviewer, and the mark for reviewing that follows."""

    run = models.ForeignKey(GradingRun, on_delete=models.CASCADE, related_name="reviewers")
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="run_reviews")
    asked = models.PositiveIntegerField(default=0)  # reviews
    given = models.PositiveIntegerField(default=0)
    reliability = models.FloatField(null=True, blank=True)
    reliability_low = models.FloatField(null=True, blank=True)
    reliability_high = models.FloatField(null=True, blank=True)
    agreement = models.FloatField(null=True, blank=True)
    flag = models.CharField(max_length=40, blank=True)
    flag_text = models.CharField(max_length=500, blank=True)
    quality = models.FloatField(null=True, blank=True)  # 0 to 100, the library's mark
    completeness = models.FloatField(null=True, blank=True)  # 0 to 100

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["run", "membership"], name="a_reviewer_once_per_run")]


class Override(models.Model):
    """A grade that staff set by hand, for a submission or for one member of a team; none is ever deleted."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="overrides")
    membership = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="overrides"
    )  # None: everybody who made the submission
    # one of the two: a letter where the assignment has no points
    points = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(-1e6), MaxValueValidator(1e6)]
    )
    letter = models.CharField(max_length=20, blank=True)
    reason = models.CharField(max_length=1000)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["submission", "membership"],
                condition=Q(withdrawn_at__isnull=True, membership__isnull=False),
                name="one_override_per_member",
            ),
            models.UniqueConstraint(
                fields=["submission"],
                condition=Q(withdrawn_at__isnull=True, membership__isnull=True),
                name="one_override_per_submission",
            ),
            models.CheckConstraint(
                name="override_says_something", condition=Q(points__isnull=False) | ~Q(letter="")
            ),
        ]

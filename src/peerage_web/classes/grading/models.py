"""How an assignment is graded, every run of that, what staff said about works, and what they set by hand."""

from __future__ import annotations

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Membership
from peerage_web.classes.keys import short_key
from peerage_web.classes.submissions.models import Work
from peerage_web.files.models import Job


class GradingPlan(models.Model):
    """What staff decided about the grades of one assignment; made with its first look at grading."""

    assignment = models.OneToOneField(Assignment, on_delete=models.CASCADE, related_name="grading_plan")
    method = models.CharField(max_length=40, blank=True)  # a code of the library; empty: Peerage chooses
    scale_low = models.FloatField(default=0)
    scale_high = models.FloatField(default=100)
    letters = models.CharField(max_length=300, blank=True)  # as `peerage grade --letters` has it
    # the mark for reviewing: what of it is completeness, and what is the helpfulness that authors rated; the
    # rest is quality, as the library measures it
    completeness_weight = models.PositiveSmallIntegerField(default=50)
    helpfulness_weight = models.PositiveSmallIntegerField(default=0)
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
        ]

    def __str__(self) -> str:
        return f"grading plan {self.pk}"


class StaffGrade(models.Model):
    """What staff think a work is worth, on the scale of the plan: an anchor. The newest of each counts."""

    work = models.ForeignKey(Work, on_delete=models.CASCADE, related_name="staff_grades")
    points = models.FloatField()
    reason = models.CharField(max_length=1000, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["work", "by"], condition=Q(withdrawn_at__isnull=True), name="one_staff_grade_each"
            ),
        ]

    def __str__(self) -> str:
        return f"staff grade {self.pk}"


class StaffRanking(models.Model):
    """How somebody of the staff ranks some works; read as one more list of feedback."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="staff_rankings")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    bins = models.JSONField()  # primary keys of works, best first
    at = models.DateTimeField(auto_now_add=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"staff ranking {self.pk}"


class GradingRun(models.Model):
    """One run of the engine over an assignment. Its job waits, runs, is cancelled and survives like all jobs.

    Its inputs and the library's own files stay in the job's folder; `inputs_sha256` is of the inputs. Rows of
    `RunGrade` and `RunReviewer` are drawn from them once, when it is done.
    """

    class Purpose(models.TextChoices):
        """What it was made for."""

        GRADES = "grades", "grades of the assignment"
        APPEAL = "appeal", "a look at what an appeal would change"

    key = models.CharField(max_length=16, unique=True, default=short_key, editable=False)
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="grading_runs")
    number = models.PositiveSmallIntegerField()  # 1, 2, … of this assignment
    purpose = models.CharField(max_length=8, choices=Purpose, default=Purpose.GRADES)
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="grading_run")
    inputs_sha256 = models.CharField(max_length=64)
    options = models.JSONField(default=dict)  # method, scale, letters, seed as asked for
    plan = models.JSONField(default=dict)  # weights of the mark for reviewing, at that time
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

    class Meta:
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "number"], name="runs_are_numbered"),
            models.CheckConstraint(
                name="approved_runs_are_done",
                condition=Q(approved_at__isnull=True) | Q(drawn_at__isnull=False, purpose="grades"),
            ),
        ]

    def __str__(self) -> str:
        return f"grading run {self.pk}"


class RunGrade(models.Model):
    """What a run says about one work; the columns of the library's grades."""

    run = models.ForeignKey(GradingRun, on_delete=models.CASCADE, related_name="grades")
    work = models.ForeignKey(Work, on_delete=models.PROTECT, related_name="run_grades")
    rank = models.PositiveIntegerField()
    rank_low = models.PositiveIntegerField()
    rank_high = models.PositiveIntegerField()
    points = models.FloatField()
    points_low = models.FloatField()
    points_high = models.FloatField()
    letter = models.CharField(max_length=20, blank=True)
    letter_chance = models.FloatField(null=True, blank=True)
    reviews = models.PositiveIntegerField(default=0)
    staff = models.FloatField(null=True, blank=True)  # the staff grade it was held to
    attention = models.PositiveIntegerField(null=True, blank=True)  # place on the library's staff list

    class Meta:
        ordering = ["rank", "pk"]
        constraints = [models.UniqueConstraint(fields=["run", "work"], name="a_work_once_per_run")]

    def __str__(self) -> str:
        return f"grade {self.pk}"


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

    def __str__(self) -> str:
        return f"reviewer {self.pk}"


class Override(models.Model):
    """A grade that staff set by hand, for a work or for one member of a team; none is ever deleted."""

    work = models.ForeignKey(Work, on_delete=models.CASCADE, related_name="overrides")
    membership = models.ForeignKey(
        Membership, null=True, blank=True, on_delete=models.PROTECT, related_name="overrides"
    )  # None: everybody who made the work
    points = models.FloatField(validators=[MinValueValidator(-1e6), MaxValueValidator(1e6)])
    reason = models.CharField(max_length=1000)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["work", "membership"],
                condition=Q(withdrawn_at__isnull=True, membership__isnull=False),
                name="one_override_per_member",
            ),
            models.UniqueConstraint(
                fields=["work"],
                condition=Q(withdrawn_at__isnull=True, membership__isnull=True),
                name="one_override_per_work",
            ),
        ]

    def __str__(self) -> str:
        return f"override {self.pk}"

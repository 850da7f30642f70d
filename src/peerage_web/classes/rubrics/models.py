"""The rubric of an assignment, and the levels that reviewers chose."""

from django.db import models

from peerage_web.classes.allocation.models import Review
from peerage_web.classes.assignments.models import Assignment


class RubricCriterion(models.Model):
    """What submissions are looked at for."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="rubric")
    position = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=100)
    description = models.CharField(max_length=1000, blank=True)
    required = models.BooleanField(default=True)  # to choose a level before submitting a ranking

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["assignment", "name"], name="criterion_names_differ"),
        ]

    def __str__(self) -> str:
        return self.name


class RubricLevel(models.Model):
    """How well a submission may do by a criterion."""

    criterion = models.ForeignKey(RubricCriterion, on_delete=models.CASCADE, related_name="levels")
    position = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=100)
    description = models.CharField(max_length=500, blank=True)
    points = models.FloatField()

    class Meta:
        ordering = ["position", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["criterion", "name"], name="level_names_differ"),
            models.CheckConstraint(name="level_points_not_negative", condition=models.Q(points__gte=0)),
        ]

    def __str__(self) -> str:
        return self.name


class ChosenLevel(models.Model):
    """What a reviewer chose for a submission (None: taken back), as saved; submitted rankings have a copy."""

    review = models.ForeignKey(Review, on_delete=models.CASCADE, related_name="levels")
    criterion = models.ForeignKey(RubricCriterion, on_delete=models.CASCADE, related_name="chosen")
    level = models.ForeignKey(
        RubricLevel, null=True, blank=True, on_delete=models.CASCADE, related_name="chosen"
    )
    version = models.PositiveIntegerField(default=0)
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["review", "criterion"], name="one_level_per_criterion"),
        ]

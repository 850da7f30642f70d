"""An assignment, all of it or step by step; its dates, extensions and copies."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.assignments.services import DATES, DESIGN
from peerage_web.classes.fields import MomentField
from peerage_web.classes.grading.forms import RULE_FIELDS, PointsRuleForm

MEGABYTE = 1 << 20
PROMPTS = 6


REMIND = [
    (0, _("Never")),
    (24, _("One day before a due date")),
    (48, _("Two days before a due date")),
    (72, _("Three days before a due date")),
]


class AssignmentForm(forms.Form):
    """The whole assignment on one page; its defaults are good for most classes."""

    title = forms.CharField(label=_("Title"), max_length=200)
    instructions = forms.CharField(
        label=_("Instructions"),
        required=False,
        max_length=50_000,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text=_("Markdown: **bold**, *italic*, lists, links, tables. Images and HTML are ignored."),
    )
    in_teams = forms.BooleanField(label=_("Students work in teams"), required=False)

    opens_at = MomentField(
        label=_("Publish on"), required=False, help_text=_("Leave empty to publish manually.")
    )
    due_at = MomentField(label=_("Submissions due"))
    late_until = MomentField(
        label=_("Late submissions until"),
        required=False,
        help_text=_("Late submissions are flagged. Their authors join the review automatically."),
    )
    reviews_due_at = MomentField(label=_("Reviews due"))
    release_at = MomentField(label=_("Grade release"), required=False)
    grace_minutes = forms.IntegerField(
        label=_("Grace period (minutes)"),
        min_value=0,
        max_value=1440,
        help_text=_(
            "Students who submitted on time can replace their submission for this long after the due date."
        ),
    )
    remind_hours = forms.TypedChoiceField(
        label=_("Send e-mail reminders"),
        coerce=int,
        choices=REMIND,
        help_text=_("Only people with something left to do are reminded, once per due date."),
    )
    by_date = forms.BooleanField(
        label=_("Advance to the next phase automatically on the set dates"), required=False
    )
    allocates_itself = forms.BooleanField(
        label=_("Allocate reviews and start the review phase automatically after submissions are due"),
        required=False,
    )

    file_kinds = forms.MultipleChoiceField(
        label=_("Accepted file types"), choices=Assignment.Kind.choices, widget=forms.CheckboxSelectMultiple
    )
    most_megabytes = forms.IntegerField(label=_("Maximum file size (MB)"), min_value=1)
    most_files = forms.IntegerField(
        label=_("Maximum number of files per submission"), min_value=1, max_value=20
    )

    reviews_per_student = forms.IntegerField(label=_("Reviews per student"), min_value=2, max_value=50)
    reviews_per_staff = forms.IntegerField(label=_("Reviews per staff member"), min_value=0, max_value=200)
    design = forms.ChoiceField(label=_("Allocation design"), choices=Assignment.Design.choices)
    anchors = forms.IntegerField(
        label=_("Common submissions"),
        min_value=1,
        max_value=200,
        help_text=_("For the calibrated design: how many submissions staff also review."),
    )
    sections = forms.ChoiceField(label=_("Sections"), choices=Assignment.Sections.choices)
    ties_allowed = forms.BooleanField(label=_("Allow ties"), required=False)
    counts_saved = forms.BooleanField(
        label=_("Count complete rankings that were saved but not submitted when the review phase closes"),
        required=False,
    )
    min_comment_words = forms.IntegerField(
        label=_("Minimum length of comments (words per submission)"),
        min_value=0,
        max_value=1000,
        help_text=_("All answers about one submission count together. 0 means no minimum."),
    )
    self_review = forms.BooleanField(
        label=_("Students also rank their own submission (never counts for a grade)"), required=False
    )
    review_weight = forms.IntegerField(
        label=_("Reviewing, as a percentage of the total grade"), min_value=0, max_value=100
    )
    practice = forms.ChoiceField(
        label=_("Practice round"), choices=Assignment._meta.get_field("practice").choices or ()
    )

    def __init__(self, *args: Any, design_open: bool = True, may_release: bool = True, **named: Any) -> None:
        super().__init__(*args, **named)
        largest = settings.LIMITS.file_bytes // MEGABYTE
        field = self.fields["most_megabytes"]
        field.max_value = largest  # type: ignore[attr-defined]
        field.widget.attrs["max"] = largest
        field.help_text = _("This site accepts files of up to %(most)d MB.") % {"most": largest}
        for number in range(1, PROMPTS + 1):
            self.fields[f"prompt_{number}"] = forms.CharField(
                label=_("Question %(number)d") % {"number": number}, max_length=500, required=False
            )
            self.fields[f"required_{number}"] = forms.BooleanField(label=_("Answer required"), required=False)
        for name in DESIGN if not design_open else ():
            self.fields[name].disabled = True
        if not may_release:
            lock_release_date(self)

    def clean_most_megabytes(self) -> int:
        """No more than the service takes."""
        megabytes: int = self.cleaned_data["most_megabytes"]
        largest = settings.LIMITS.file_bytes // MEGABYTE
        if megabytes > largest:
            raise ValidationError(
                _("This site accepts files of up to %(most)d MB."), params={"most": largest}
            )
        return megabytes

    @property
    def opens_advanced(self) -> bool:
        """Whether something behind "Advanced" has to be put right."""
        return any(name in self.errors for name in ADVANCED)

    def names_of_step(self, number: int) -> list[str]:
        """The fields of a step of the wizard; the questions to reviewers stand in one of them."""
        names = [name for name in WIZARD[number][1] if name in self.fields]
        if "reviews_per_student" in names:
            asked = range(1, PROMPTS + 1)
            names += [name for n in asked for name in (f"prompt_{n}", f"required_{n}")]
        return names

    @property
    def groups(self) -> list[tuple[Any, list[Any]]]:
        """The steps of the wizard one below the other, without what few classes change."""
        return [
            (title, [self[name] for name in names if name not in ADVANCED])
            for title, names in WIZARD
            if not set(names) <= {*ADVANCED, *(RULE_FIELDS - self.fields.keys())}
        ]

    @property
    def advanced(self) -> list[Any]:
        return [self[name] for name in ADVANCED]

    @property
    def answers(self) -> dict[str, Any]:
        values = dict(self.cleaned_data)
        wanted = {
            name: value
            for name, value in values.items()
            if not name.startswith(("prompt_", "required_")) and name not in RULE_FIELDS
        }
        wanted["most_bytes"] = wanted.pop("most_megabytes") * MEGABYTE
        return wanted

    @property
    def prompts(self) -> list[tuple[str, bool]]:
        """The questions, in their order, each once."""
        values = self.cleaned_data
        pairs = [(values[f"prompt_{n}"].strip(), values[f"required_{n}"]) for n in range(1, PROMPTS + 1)]
        return list({text: (text, required) for text, required in pairs if text}.values())

    @property
    def prompt_fields(self) -> list[tuple[Any, Any]]:
        return [(self[f"prompt_{n}"], self[f"required_{n}"]) for n in range(1, PROMPTS + 1)]


class NewAssignmentForm(PointsRuleForm, AssignmentForm):
    """With it, what makes the points; later that is among the settings of grading."""

    @property
    def rule(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in RULE_FIELDS}


# the steps of the wizard: every field of the form stands in one of them
WIZARD: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (_("Description"), ("title", "instructions", "in_teams")),
    (
        _("Dates"),
        (
            "opens_at",
            "due_at",
            "late_until",
            "grace_minutes",
            "reviews_due_at",
            "release_at",
            "remind_hours",
            "by_date",
            "allocates_itself",
        ),
    ),
    (_("Files"), ("file_kinds", "most_files", "most_megabytes")),
    (
        _("Review"),
        (
            "reviews_per_student",
            "review_weight",
            "min_comment_words",
            "ties_allowed",
            "counts_saved",
            "self_review",
            "practice",
        ),
    ),
    (_("Grading"), tuple(RULE_FIELDS)),
    (_("Allocation"), ("design", "anchors", "sections", "reviews_per_staff")),
)
ADVANCED = ("grace_minutes", "design", "anchors", "reviews_per_staff")  # what few classes change


def lock_release_date(form: forms.Form) -> None:
    """For those who may not release: a date that has come releases as their click would."""
    form.fields["release_at"].disabled = True
    form.fields["release_at"].help_text = _("Only instructors can set this date.")


class DatesForm(forms.Form):
    opens_at = MomentField(label=_("Publish on"), required=False)
    due_at = MomentField(label=_("Submissions due"))
    late_until = MomentField(label=_("Late submissions until"), required=False)
    reviews_due_at = MomentField(label=_("Reviews due"))
    release_at = MomentField(label=_("Grade release"), required=False)
    by_date = forms.BooleanField(
        label=_("Advance to the next phase automatically on the set dates"), required=False
    )

    names = (*DATES, "by_date")

    def __init__(self, *args: Any, may_release: bool = True, **named: Any) -> None:
        super().__init__(*args, **named)
        if not may_release:
            lock_release_date(self)


class ExtensionForm(forms.Form):
    """More time for one student; the template draws the list, which may have thousands of lines."""

    member = forms.IntegerField(label=_("Student"), min_value=1)
    due_at = MomentField(label=_("Submission due"), required=False)
    reviews_due_at = MomentField(label=_("Reviews due"), required=False)
    reason = forms.CharField(
        label=_("Reason"), max_length=300, required=False, help_text=_("For staff only.")
    )

    prefix = "extension"


class DuplicateForm(forms.Form):
    title = forms.CharField(label=_("Title of the copy"), max_length=200)

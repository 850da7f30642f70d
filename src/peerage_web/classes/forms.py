"""What staff write on the pages of classes; checked here for form, in services for sense."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from peerage_web.classes.models import Assignment
from peerage_web.classes.services.assignments import DATES, DESIGN
from peerage_web.classes.services.courses import zones
from peerage_web.classes.words import Role

MEGABYTE = 1 << 20
PROMPTS = 6
# what browsers send for such a field, with and without seconds, and what a hidden one holds
INPUT_FORMATS = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S"]


class Moment(forms.DateTimeField):
    """A date and a time of day, on the course's clock."""

    def __init__(self, **named: Any) -> None:
        widget = forms.DateTimeInput(format="%Y-%m-%dT%H:%M", attrs={"type": "datetime-local"})
        super().__init__(widget=widget, input_formats=INPUT_FORMATS, **named)


class CourseForm(forms.Form):
    """A course."""

    name = forms.CharField(label=_("Name of the course"), max_length=200)
    term = forms.CharField(label=_("Term"), max_length=60, required=False)
    time_zone = forms.CharField(
        label=_("Time zone"),
        max_length=60,
        initial="UTC",
        widget=forms.TextInput(attrs={"list": "zones", "autocomplete": "off"}),
        help_text=_("In which dates are shown and due, such as Europe/Berlin."),
    )
    language = forms.ChoiceField(
        label=_("Language of mail"),
        required=False,
        choices=settings.LANGUAGES,
        help_text=_("For people who have not chosen one themselves."),
    )

    def clean_time_zone(self) -> str:
        """One that clocks know."""
        name: str = self.cleaned_data["time_zone"].strip()
        if name not in zones():
            raise ValidationError(_("This is not a time zone. Write it like Europe/Berlin or Asia/Tokyo."))
        return name


class CourseSettingsForm(CourseForm):
    """A course that is there: also how long it is kept."""

    keep_months = forms.TypedChoiceField(
        label=_("How long it is kept"),
        coerce=int,
        choices=[
            (0, _("Without end")),
            (6, _("6 months after its last date")),
            (12, _("12 months after its last date")),
            (24, _("2 years after its last date")),
            (36, _("3 years after its last date")),
            (60, _("5 years after its last date")),
            (120, _("10 years after its last date")),
        ],
        help_text=_(
            "Then everything in it is deleted for good: works, rankings, comments, grades, the record, and"
            " accounts of students who are in no other course. Instructors are told by e-mail 30 days before."
        ),
    )


class StudentForm(forms.Form):
    """One student."""

    name = forms.CharField(label=_("Name"), max_length=200)
    email = forms.EmailField(label=_("E-mail address"), max_length=254)
    student_id = forms.CharField(label=_("Student number"), max_length=100, required=False)
    section = forms.CharField(label=_("Section"), max_length=100, required=False)


class MemberForm(forms.Form):
    """What can be changed of somebody in the course."""

    name = forms.CharField(label=_("Name"), max_length=200, required=False)
    student_id = forms.CharField(label=_("Student number"), max_length=100, required=False)
    section = forms.CharField(label=_("Section"), max_length=100, required=False)
    group = forms.CharField(
        label=_("Group"),
        max_length=100,
        required=False,
        help_text=_("Teams of a new assignment start from it."),
    )


STAFF_ROLES = [(role.value, role.label) for role in (Role.ASSISTANT, Role.INSTRUCTOR, Role.OBSERVER)]


class StaffForm(forms.Form):
    """Somebody who is to help."""

    email = forms.EmailField(label=_("E-mail address"), max_length=254)
    name = forms.CharField(label=_("Name"), max_length=200, required=False)
    role = forms.ChoiceField(
        label=_("Role"),
        choices=STAFF_ROLES,
        help_text=_("Assistants run assignments; instructors also decide who is staff; observers only look."),
    )

    def __init__(self, *given: Any, **named: Any) -> None:
        named.setdefault("auto_id", "staff_%s")  # it shares a page with StudentForm
        super().__init__(*given, **named)


class RoleForm(forms.Form):
    """Another role."""

    role = forms.ChoiceField(label=_("Role"), choices=Role.choices)


class RosterForm(forms.Form):
    """A file with the roster."""

    file = forms.FileField(label=_("Roster (CSV or Excel)"), allow_empty_file=True)


COLUMN_LABELS = {
    "student_id": _("Student number"),
    "email": _("E-mail address"),
    "name": _("Full name"),
    "first_name": _("First name"),
    "last_name": _("Last name"),
    "section": _("Section"),
    "group": _("Group or team"),
}


class ColumnsForm(forms.Form):
    """Which column of the file is what."""

    def __init__(self, header: list[str], *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        choices = [("", _("– not in the file –")), *((one, one) for one in header)]
        for role, label in COLUMN_LABELS.items():
            self.fields[role] = forms.ChoiceField(label=label, required=False, choices=choices)


REMIND = [
    (0, _("Nobody")),
    (24, _("A day before a due date")),
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
        help_text=_("Markdown: **bold**, *italic*, lists, links, tables. Pictures and HTML are left out."),
    )
    in_teams = forms.BooleanField(label=_("Students work in teams"), required=False)

    opens_at = Moment(
        label=_("Publish on"), required=False, help_text=_("Leave it empty to publish by hand.")
    )
    due_at = Moment(label=_("Works due"))
    late_until = Moment(
        label=_("Late works until"),
        required=False,
        help_text=_("Late works are marked, and their authors join the reviewing by themselves."),
    )
    reviews_due_at = Moment(label=_("Reviews due"))
    release_at = Moment(label=_("Release of grades"), required=False)
    grace_minutes = forms.IntegerField(
        label=_("Grace in minutes"),
        min_value=0,
        max_value=1440,
        help_text=_("A work that was handed in on time may be replaced for so long after it was due."),
    )
    remind_hours = forms.TypedChoiceField(
        label=_("Remind by e-mail"),
        coerce=int,
        choices=REMIND,
        help_text=_("Only those who have not done their part by then, each of them once per date."),
    )
    by_date = forms.BooleanField(label=_("Move on by itself when a date has come"), required=False)
    allocates_itself = forms.BooleanField(
        label=_("Allocate by itself once works are due, and start reviewing"), required=False
    )

    file_kinds = forms.MultipleChoiceField(
        label=_("What can be handed in"), choices=Assignment.Kind.choices, widget=forms.CheckboxSelectMultiple
    )
    most_megabytes = forms.IntegerField(label=_("Largest file in MB"), min_value=1)
    most_files = forms.IntegerField(label=_("Files per work"), min_value=1, max_value=20)

    reviews_per_student = forms.IntegerField(label=_("Reviews per student"), min_value=2, max_value=50)
    reviews_per_staff = forms.IntegerField(label=_("Reviews per member of staff"), min_value=0, max_value=200)
    design = forms.ChoiceField(label=_("Design of the allocation"), choices=Assignment.Design.choices)
    anchors = forms.IntegerField(
        label=_("Common works"),
        min_value=1,
        max_value=200,
        help_text=_("Of the calibrated design: how many works staff judge too."),
    )
    sections = forms.ChoiceField(label=_("Sections"), choices=Assignment.Sections.choices)
    ties_allowed = forms.BooleanField(label=_("Works may share a place"), required=False)
    review_weight = forms.IntegerField(
        label=_("What reviewing counts, in per cent of the mark"), min_value=0, max_value=100
    )
    practice = forms.ChoiceField(
        label=_("Practice round"), choices=Assignment._meta.get_field("practice").choices or ()
    )

    def __init__(self, *args: Any, design_open: bool = True, **named: Any) -> None:
        super().__init__(*args, **named)
        largest = settings.LIMITS.file_bytes // MEGABYTE
        field = self.fields["most_megabytes"]
        field.max_value = largest  # type: ignore[attr-defined]
        field.widget.attrs["max"] = largest
        field.help_text = _("This service takes up to %(most)d MB.") % {"most": largest}
        for number in range(1, PROMPTS + 1):
            self.fields[f"prompt_{number}"] = forms.CharField(
                label=_("Question %(number)d") % {"number": number}, max_length=500, required=False
            )
            self.fields[f"required_{number}"] = forms.BooleanField(
                label=_("Has to be answered"), required=False
            )
        for name in DESIGN if not design_open else ():
            self.fields[name].disabled = True

    def clean_most_megabytes(self) -> int:
        """No more than the service takes."""
        given: int = self.cleaned_data["most_megabytes"]
        largest = settings.LIMITS.file_bytes // MEGABYTE
        if given > largest:
            raise ValidationError(_("This service takes up to %(most)d MB."), params={"most": largest})
        return given

    def names_of_step(self, number: int) -> list[str]:
        """The fields of a step of the wizard; the questions to reviewers stand in one of them."""
        names = list(WIZARD[number][1])
        if "reviews_per_student" in names:
            asked = range(1, PROMPTS + 1)
            names += [name for n in asked for name in (f"prompt_{n}", f"required_{n}")]
        return names

    @property
    def answers(self) -> dict[str, Any]:
        """The fields of the assignment."""
        given = dict(self.cleaned_data)
        wanted = {
            name: value for name, value in given.items() if not name.startswith(("prompt_", "required_"))
        }
        wanted["most_bytes"] = wanted.pop("most_megabytes") * MEGABYTE
        return wanted

    @property
    def prompts(self) -> list[tuple[str, bool]]:
        """The questions, in their order, each once."""
        given = self.cleaned_data
        pairs = [(given[f"prompt_{n}"].strip(), given[f"required_{n}"]) for n in range(1, PROMPTS + 1)]
        return list({text: (text, required) for text, required in pairs if text}.values())

    @property
    def prompt_fields(self) -> list[tuple[Any, Any]]:
        """Question and tick, side by side."""
        return [(self[f"prompt_{n}"], self[f"required_{n}"]) for n in range(1, PROMPTS + 1)]


# the steps of the wizard: every field of the form stands in one of them
WIZARD: tuple[tuple[Any, tuple[str, ...]], ...] = (
    (_("What is asked"), ("title", "instructions", "in_teams")),
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
    (_("Reviewing"), ("reviews_per_student", "review_weight", "ties_allowed", "practice")),
    (_("Allocation"), ("design", "anchors", "sections", "reviews_per_staff")),
)


class DatesForm(forms.Form):
    """The dates alone."""

    opens_at = Moment(label=_("Publish on"), required=False)
    due_at = Moment(label=_("Works due"))
    late_until = Moment(label=_("Late works until"), required=False)
    reviews_due_at = Moment(label=_("Reviews due"))
    release_at = Moment(label=_("Release of grades"), required=False)
    by_date = forms.BooleanField(label=_("Move on by itself when a date has come"), required=False)

    names = (*DATES, "by_date")


class ExtensionForm(forms.Form):
    """More time for one student; the template draws the list, which may have thousands of lines."""

    member = forms.IntegerField(label=_("Student"), min_value=1)
    due_at = Moment(label=_("Work due"), required=False)
    reviews_due_at = Moment(label=_("Reviews due"), required=False)
    reason = forms.CharField(
        label=_("Reason"), max_length=300, required=False, help_text=_("For staff only.")
    )

    prefix = "extension"


class DuplicateForm(forms.Form):
    """What the copy is called."""

    title = forms.CharField(label=_("Title of the copy"), max_length=200)


class ExampleForm(forms.Form):
    """One example of the practice round."""

    title = forms.CharField(label=_("Title"), max_length=200, help_text=_("For staff only."))
    text = forms.CharField(
        label=_("The example"),
        max_length=50_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 10}),
        help_text=_("What students read, in Markdown."),
    )
    file = forms.FileField(
        label=_("Or a file"),
        required=False,
        help_text=_("A PDF, an image, or text; students see it as reviewers see works."),
    )
    place = forms.IntegerField(
        label=_("Place"),
        min_value=1,
        max_value=99,
        help_text=_("1 is best. Examples with the same place are on a par."),
    )
    because = forms.CharField(
        label=_("Why it belongs there"),
        max_length=5_000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("Students read this as the answer to their choice."),
    )

    def __init__(self, *args: Any, has_file: bool = False, **named: Any) -> None:
        super().__init__(*args, **named)
        self.has_file = has_file

    def clean(self) -> dict[str, Any]:
        """There has to be something to read."""
        given = super().clean() or {}
        if not (given.get("text") or given.get("file") or self.has_file or self.errors):
            self.add_error("text", _("Write the example, or choose a file."))
        return given


class AllocationForm(forms.Form):
    """What an allocation is made from; looked at as often as one likes."""

    design = forms.ChoiceField(label=_("Design"), choices=Assignment.Design.choices)
    reviews_per_student = forms.IntegerField(label=_("Reviews per student"), min_value=2, max_value=50)
    reviews_per_staff = forms.IntegerField(
        label=_("Reviews per member of staff"),
        min_value=0,
        max_value=200,
        help_text=_("0: staff review nothing; in the calibrated design all common works."),
    )
    anchors = forms.IntegerField(
        label=_("Common works"), min_value=1, max_value=200, help_text=_("Of the calibrated design.")
    )
    sections = forms.ChoiceField(label=_("Sections"), choices=Assignment.Sections.choices)
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=2**31 - 1,
        help_text=_("Another number gives other lists; the same number the same lists."),
    )


class RepairForm(forms.Form):
    """Who gets what no-shows held; the template draws the list of people, which may be long."""

    most_extra = forms.IntegerField(
        label=_("At most so many more for one student"), min_value=0, max_value=5, initial=1
    )
    staff_each = forms.IntegerField(
        label=_("So many for each member of staff"), min_value=0, max_value=50, initial=0
    )
    ask_finished = forms.BooleanField(
        label=_("Also ask students who have handed in their ranking"), required=False
    )
    volunteers = forms.CharField(
        label=_("Volunteers"),
        required=False,
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("E-mail addresses or student numbers, one in each line: these students may get more."),
    )
    volunteers_each = forms.IntegerField(
        label=_("So many more for each volunteer"), min_value=0, max_value=20, initial=2
    )


class AllocationFileForm(forms.Form):
    """A file of who reviews what."""

    file = forms.FileField(
        label=_("File"),
        help_text=_("CSV or Excel with the columns grader and item, as the file that you get here."),
    )


class ReportForm(forms.Form):
    """Why a work cannot be reviewed."""

    reason = forms.ChoiceField(
        label=_("What is wrong?"),
        choices=[
            ("blank", _("It is blank")),
            ("unreadable", _("I cannot open or read it")),
            ("known", _("I know whose it is")),
        ],
        widget=forms.RadioSelect,
    )
    text = forms.CharField(
        label=_("More about it"),
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("For staff only."),
    )

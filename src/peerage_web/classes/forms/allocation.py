"""The allocation, its repair and its file; reports."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from peerage_web.classes.models import Assignment


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

"""Forms of the survey: what students answer, and what staff ask."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext_lazy as _

from peerage_web.classes.survey.models import SurveyAnswer, SurveyQuestion
from peerage_web.classes.survey.queries import QuestionSummary
from peerage_web.classes.survey.services import AnswerInput


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    asked: QuestionSummary
    choice: BoundField | None
    text: BoundField | None


class AnswersForm(forms.Form):
    """All questions; none has to be answered."""

    def __init__(
        self,
        questions: Sequence[QuestionSummary],
        *args: Any,
        answers: Mapping[int, SurveyAnswer],
        **named: Any,
    ) -> None:
        super().__init__(*args, **named)
        self.questions = questions
        for question in questions:
            self._add(question, answers.get(question.question.pk))

    def _add(self, summary: QuestionSummary, before: SurveyAnswer | None) -> None:
        number = summary.question.pk
        if summary.choices:
            choices = [*summary.choices, ("", _("No answer"))]
            self.fields[f"choice_{number}"] = forms.ChoiceField(
                choices=choices,
                required=False,
                widget=forms.RadioSelect,
                initial=before.choice if before is not None else "",
            )
        if summary.has_text:
            self.fields[f"text_{number}"] = forms.CharField(
                label=_("In your own words"),
                required=False,
                max_length=5000,
                widget=forms.Textarea(attrs={"rows": 4}),
                initial=before.text if before is not None else "",
            )

    @property
    def rows(self) -> list[ChoiceRow]:
        return [
            ChoiceRow(
                question,
                self._bound(f"choice_{question.question.pk}"),
                self._bound(f"text_{question.question.pk}"),
            )
            for question in self.questions
        ]

    def _bound(self, name: str) -> BoundField | None:
        return self[name] if name in self.fields else None

    @property
    def answers(self) -> dict[int, AnswerInput]:
        values = self.cleaned_data
        return {
            question.question.pk: AnswerInput(
                values.get(f"choice_{question.question.pk}", ""),
                values.get(f"text_{question.question.pk}", "").strip(),
            )
            for question in self.questions
        }


class QuestionForm(forms.Form):
    text = forms.CharField(label=_("Question"), max_length=500)
    kind = forms.ChoiceField(
        label=_("Answer type"),
        choices=[
            (SurveyQuestion.Kind.TEXT.value, _("Free text")),
            (SurveyQuestion.Kind.CHOICE.value, _("Multiple choice (one answer)")),
        ],
    )
    choices = forms.CharField(
        label=_("Answer options"),
        required=False,
        max_length=2400,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("One option per line. Not needed for free text."),
    )

    def clean_choices(self) -> list[str]:
        """One in each line; as long as the database keeps them."""
        lines = [line.strip() for line in self.cleaned_data["choices"].splitlines() if line.strip()]
        if any(len(line) > 200 for line in lines):
            raise forms.ValidationError(_("An answer can have up to 200 characters."))
        return lines

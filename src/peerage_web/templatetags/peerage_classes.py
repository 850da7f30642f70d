"""Codes of classes in words, for templates."""

from typing import Any

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from peerage_web.classes import texts as class_texts
from peerage_web.classes.activity_log.models import Event
from peerage_web.classes.grading import texts as grading_words

register = template.Library()


@register.filter
def in_words(event: Event) -> str:
    subject = event.subject.shown_name if event.subject is not None else ""
    return class_texts.event(event.verb, event.data, subject)


@register.filter
def field_in_words(name: str) -> str:
    return str(class_texts.FIELDS.get(name, name))


@register.filter
def how_far_in_words(code: str) -> str:
    return str(class_texts.HOW_FAR.get(code, code))


@register.filter
def reason_in_words(code: str) -> str:
    return str(class_texts.WHY.get(code, code))


@register.filter
def flag_in_words(code: str) -> str:
    return str(class_texts.FLAGS.get(code, code))


@register.filter
def talk_in_words(code: str) -> str:
    return str(class_texts.TALK.get(code, code))


@register.filter
def at_key(names: dict[int, str], key: int) -> str:
    """What something is called."""
    return names.get(key, "")


@register.filter
def points(value: float | str | None, decimals: int | str = 1) -> str:
    """A number of points, such as 78.5; – for none, also where templates make an empty text of it.

    `decimals` are those of the plan or the run; a mark for reviewing, out of 100, has one.
    """
    return _points(value, decimals)


@register.filter
def points_column(value: float | str | None, decimals: int | str = 1) -> str:
    """The same in a table, where 80.0 stands below 80.7."""
    return _points(value, decimals, in_column=True)


def _points(value: float | str | None, decimals: int | str, *, in_column: bool = False) -> str:
    number = None if isinstance(value, str) else value
    return grading_words.figure(number, int(decimals or 1), in_column=in_column)


@register.filter
def signed(value: float | None, decimals: int = 1) -> str:
    """A difference, such as +1.5; 0 where there is none."""
    if not value:
        return "0" if value == 0 else "–"
    sign = "+" if value > 0 else "\N{MINUS SIGN}"
    return f"{sign}{grading_words.figure(abs(value), decimals)}"


@register.filter
def letter_in_words(letter: str) -> str:
    """A letter grade, or complete and incomplete; – for none."""
    return grading_words.letter_in_words(letter) or "–"


@register.filter
def rule_name(rule: str) -> str:
    return str(grading_words.RULES[rule])


@register.filter
def rule_in_words(run: Any) -> str:
    return grading_words.rule_sentence(run)


@register.filter
def question_in_words(question: Any) -> str:
    return grading_words.question_sentence(question.code, question.figures)


@register.filter
def sent_in_words(run: Any) -> str:
    return str(grading_words.SENT[run.points_rule])


@register.filter
def moved_because(reason: Any) -> str:
    return grading_words.moved_because(reason.code, reason.figures)


@register.filter
def reviewing_in_words(final: Any) -> list[str]:
    return grading_words.reviewing_sentences(final.reviewing, final.reviewing_parts)


@register.filter
def single_quoted(json: str) -> SafeString:
    """For an attribute in single quotes, where JSON keeps its own: escaped, they are six characters each."""
    return mark_safe(escape(json).replace("&quot;", '"'))


@register.filter
def unlocalized(value: float | None) -> str:
    """A number as fields and scripts have it, in every language."""
    return "" if value is None else f"{value:.10g}"

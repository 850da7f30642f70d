"""Codes of classes in words, for templates."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils.formats import number_format

from peerage_web.classes import texts as class_texts
from peerage_web.classes.grading import texts as grading_words
from peerage_web.classes.record.models import Event

register = template.Library()


@register.filter
def in_words(event: Event) -> str:
    """An entry of the record."""
    subject = event.subject.shown_name if event.subject is not None else ""
    return class_texts.event(event.verb, event.data, subject)


@register.filter
def field_in_words(name: str) -> str:
    """A field, as the record calls it."""
    return str(class_texts.FIELDS.get(name, name))


@register.filter
def how_far_in_words(code: str) -> str:
    """How far a review is."""
    return str(class_texts.HOW_FAR.get(code, code))


@register.filter
def reason_in_words(code: str) -> str:
    """Why a work was reported or taken out."""
    return str(class_texts.WHY.get(code, code))


@register.filter
def flag_in_words(code: str) -> str:
    """What a run says about a reviewer."""
    return str(class_texts.FLAGS.get(code, code))


@register.filter
def talk_in_words(code: str) -> str:
    """Why to talk to somebody."""
    return str(class_texts.TALK.get(code, code))


@register.filter
def short_number(value: float | None) -> str:
    """Up to two digits after the point, and none that say nothing."""
    if value is None:
        return "–"
    rounded = round(value, 2)
    return str(number_format(int(rounded) if rounded == int(rounded) else rounded))


@register.filter
def at_key(names: dict[int, str], key: int) -> str:
    """What something is called."""
    return names.get(key, "")


@register.filter
def points(value: float | str | None) -> str:
    """A number of points, such as 78.5; – for none, also where templates make an empty text of it."""
    return grading_words.figure(None if isinstance(value, str) else value)


@register.filter
def signed(value: float | None) -> str:
    """A difference, such as +1.5; 0 where there is none."""
    if not value:
        return "0" if value == 0 else "–"
    sign = "+" if value > 0 else "\N{MINUS SIGN}"
    return f"{sign}{grading_words.figure(abs(value))}"


@register.filter
def moved_because(reason: Any) -> str:
    """Why a grade moved."""
    return grading_words.moved_because(reason.code, reason.figures)


@register.filter
def reviewing_in_words(final: Any) -> list[str]:
    """What a mark for reviewing is made of."""
    return grading_words.reviewing_sentences(final.reviewing, final.reviewing_parts)


@register.filter
def unlocalized(value: float | None) -> str:
    """A number as fields and scripts have it, in every language."""
    return "" if value is None else f"{value:.10g}"

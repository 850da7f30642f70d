"""Codes of classes in words, for templates."""

from __future__ import annotations

from django import template

from peerage_web.classes import sentences
from peerage_web.classes.models import Event

register = template.Library()


@register.filter
def in_words(event: Event) -> str:
    """An entry of the record."""
    subject = event.subject.shown_name if event.subject is not None else ""
    return sentences.event(event.verb, event.data, subject)


@register.filter
def field_in_words(name: str) -> str:
    """A field, as the record calls it."""
    return str(sentences.FIELDS.get(name, name))


@register.filter
def how_far_in_words(code: str) -> str:
    """How far a review is."""
    return str(sentences.HOW_FAR.get(code, code))


@register.filter
def reason_in_words(code: str) -> str:
    """Why a work was reported or taken out."""
    return str(sentences.WHY.get(code, code))


@register.filter
def flag_in_words(code: str) -> str:
    """What a run says about a reviewer."""
    return str(sentences.FLAGS.get(code, code))


@register.filter
def talk_in_words(code: str) -> str:
    """Why to talk to somebody."""
    return str(sentences.TALK.get(code, code))


@register.filter
def at_key(names: dict[int, str], key: int) -> str:
    """What something is called."""
    return names.get(key, "")

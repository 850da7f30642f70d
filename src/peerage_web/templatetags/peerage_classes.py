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

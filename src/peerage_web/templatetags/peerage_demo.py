"""The button that makes an example class, for the start page."""

from typing import Any

from django import template

from peerage_web.classes.enums import Phase
from peerage_web.demo.views import is_offered

register = template.Library()


@register.inclusion_tag("demo/_offer.html", takes_context=True)
def example_class(context: dict[str, Any]) -> dict[str, Any]:
    """The form, on an instance of one's own machine; nothing elsewhere."""
    request = context["request"]
    return {
        "offered": is_offered(request),
        "phases": Phase.choices,
        "csrf_token": context.get("csrf_token"),
    }

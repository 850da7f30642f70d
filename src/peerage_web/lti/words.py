"""The words of the standard: claims, scopes, messages and roles; and how they are read."""

from collections.abc import Iterable
from typing import Any

from peerage_web.classes.courses.services import zones
from peerage_web.classes.enums import Role

VERSION = "1.3.0"
_CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
MESSAGE_TYPE = _CLAIM + "message_type"
LTI_VERSION = _CLAIM + "version"
DEPLOYMENT = _CLAIM + "deployment_id"
TARGET = _CLAIM + "target_link_uri"
RESOURCE_LINK = _CLAIM + "resource_link"
ROLES = _CLAIM + "roles"
CONTEXT = _CLAIM + "context"
CUSTOM = _CLAIM + "custom"
LIS = _CLAIM + "lis"
PRESENTATION = _CLAIM + "launch_presentation"
MEMBERSHIPS = "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice"
GRADES = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
TOOL_CONFIGURATION = "https://purl.imsglobal.org/spec/lti-tool-configuration"
PLATFORM_CONFIGURATION = "https://purl.imsglobal.org/spec/lti-platform-configuration"
_DEEP_LINK = "https://purl.imsglobal.org/spec/lti-dl/claim/"
DEEP_LINK_SETTINGS = _DEEP_LINK + "deep_linking_settings"
DEEP_LINK_ITEMS = _DEEP_LINK + "content_items"
DEEP_LINK_DATA = _DEEP_LINK + "data"

RESOURCE_LINK_REQUEST = "LtiResourceLinkRequest"
DEEP_LINKING_REQUEST = "LtiDeepLinkingRequest"
DEEP_LINKING_RESPONSE = "LtiDeepLinkingResponse"

SCOPE_MEMBERS = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
SCOPE_ITEMS = "https://purl.imsglobal.org/spec/lti-ags/scope/lineitem"
SCOPE_SCORES = "https://purl.imsglobal.org/spec/lti-ags/scope/score"
SCOPE_RESULTS = "https://purl.imsglobal.org/spec/lti-ags/scope/result.readonly"
SCOPES = (SCOPE_ITEMS, SCOPE_SCORES, SCOPE_RESULTS, SCOPE_MEMBERS)

# what a link of ours carries, so that it is known again in a copy of its course; and what platforms fill in
ASSIGNMENT_FIELD = "peerage_assignment"
HISTORY_FIELD = "peerage_context_history"
TIME_ZONE_FIELD = "peerage_time_zone"
CUSTOM_FIELDS = {HISTORY_FIELD: "$Context.id.history", TIME_ZONE_FIELD: "$Person.address.timezone"}

_MEMBERSHIP = "http://purl.imsglobal.org/vocab/lis/v2/membership"
_ASSISTANTS = (
    "TeachingAssistant",
    "TeachingAssistantGroup",
    "TeachingAssistantOffering",
    "TeachingAssistantSection",
    "TeachingAssistantSectionAssociation",
    "TeachingAssistantTemplate",
    "Grader",
)
_TEACHERS = ("Lecturer", "PrimaryInstructor", "SecondaryInstructor")
_LEARNERS = ("Learner", "NonCreditLearner")
# What each name gives. Platforms send long names at launches and short ones in rosters. A platform that names
# an assistant names the role above it, too, so the lesser one decides.
NAMES: dict[str, Role] = {
    f"{_MEMBERSHIP}#Instructor": Role.INSTRUCTOR,
    "Instructor": Role.INSTRUCTOR,
    **{f"{_MEMBERSHIP}/Instructor#{name}": Role.INSTRUCTOR for name in _TEACHERS},
    **{f"{_MEMBERSHIP}/Instructor#{name}": Role.ASSISTANT for name in _ASSISTANTS},
    **{f"Instructor/{name}": Role.ASSISTANT for name in _ASSISTANTS},
    "TeachingAssistant": Role.ASSISTANT,
    f"{_MEMBERSHIP}#Learner": Role.STUDENT,
    "Learner": Role.STUDENT,
    **{f"{_MEMBERSHIP}/Learner#{name}": Role.STUDENT for name in _LEARNERS},
}
_TEST_USER = "TestUser"  # of vocab/lti/system/person; what a teacher sees the course as, and nobody
_FIRST = (Role.ASSISTANT, Role.INSTRUCTOR, Role.STUDENT)


def role_of(names: Iterable[object]) -> Role | None:
    """What the platform says that somebody is in the course; None for names that give nothing."""
    roles = {NAMES[name] for name in names if isinstance(name, str) and name in NAMES}
    return next((role for role in _FIRST if role in roles), None)


def is_test_user(names: Iterable[object]) -> bool:
    return any(str(name).rpartition("#")[2] == _TEST_USER for name in names)


def time_zone_of(claims: dict[str, Any]) -> str:
    """That of whoever launches, as the platform has it; a field that it did not fill in is no time zone."""
    zone = clean_text(clean_dict(claims.get(CUSTOM)).get(TIME_ZONE_FIELD), 60)
    return zone if zone in zones() else ""


def clean_text(value: Any, most: int = 255) -> str:
    """A claim as a text that a database takes; empty where it is none, or longer than any of ours."""
    if not isinstance(value, str) or len(value) > most:
        return ""
    return value.replace("\0", "").strip()


def clean_dict(value: Any) -> dict[str, Any]:
    """A claim that has others in it; empty where it is none."""
    return value if isinstance(value, dict) else {}


def clean_list(value: Any) -> list[Any]:
    """A claim that is a list; empty where it is none."""
    return value if isinstance(value, list) else []

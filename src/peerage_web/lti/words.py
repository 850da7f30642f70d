"""The words of the standard: claims, scopes, messages and roles."""

from __future__ import annotations

from collections.abc import Iterable

from peerage_web.classes.words import Role

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
_DEEP_LINK = "https://purl.imsglobal.org/spec/lti-dl/claim/"
DEEP_LINK_SETTINGS = _DEEP_LINK + "deep_linking_settings"
DEEP_LINK_ITEMS = _DEEP_LINK + "content_items"
DEEP_LINK_DATA = _DEEP_LINK + "data"

LAUNCH = "LtiResourceLinkRequest"
DEEP_LINKING = "LtiDeepLinkingRequest"
DEEP_LINKED = "LtiDeepLinkingResponse"

SCOPE_MEMBERS = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
SCOPE_ITEMS = "https://purl.imsglobal.org/spec/lti-ags/scope/lineitem"
SCOPE_SCORES = "https://purl.imsglobal.org/spec/lti-ags/scope/score"
SCOPE_RESULTS = "https://purl.imsglobal.org/spec/lti-ags/scope/result.readonly"
SCOPES = (SCOPE_ITEMS, SCOPE_SCORES, SCOPE_RESULTS, SCOPE_MEMBERS)

# what a link of ours carries, so that it is known again in a copy of its course; and what platforms fill in
ASSIGNMENT_FIELD = "peerage_assignment"
HISTORY_FIELD = "peerage_context_history"
CUSTOM_FIELDS = {HISTORY_FIELD: "$Context.id.history"}

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
    **{f"{_MEMBERSHIP}/Instructor#{one}": Role.INSTRUCTOR for one in _TEACHERS},
    **{f"{_MEMBERSHIP}/Instructor#{one}": Role.ASSISTANT for one in _ASSISTANTS},
    **{f"Instructor/{one}": Role.ASSISTANT for one in _ASSISTANTS},
    "TeachingAssistant": Role.ASSISTANT,
    f"{_MEMBERSHIP}#Learner": Role.STUDENT,
    "Learner": Role.STUDENT,
    **{f"{_MEMBERSHIP}/Learner#{one}": Role.STUDENT for one in _LEARNERS},
}
_TEST_USER = "TestUser"  # of vocab/lti/system/person; what a teacher sees the course as, and nobody
_FIRST = (Role.ASSISTANT, Role.INSTRUCTOR, Role.STUDENT)


def role_of(names: Iterable[object]) -> Role | None:
    """What the platform says that somebody is in the course; None for names that give nothing."""
    given = {NAMES[one] for one in names if isinstance(one, str) and one in NAMES}
    return next((role for role in _FIRST if role in given), None)


def is_test_user(names: Iterable[object]) -> bool:
    """Whether it is the platform's own test student."""
    return any(str(one).rpartition("#")[2] == _TEST_USER for one in names)

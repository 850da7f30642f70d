"""Platforms that may launch, what of theirs belongs to what of ours, launches on their way, and scores."""

from peerage_web.lti.models.contexts import LtiContext, LtiLink, LtiPlace
from peerage_web.lti.models.keys import LtiKey
from peerage_web.lti.models.launches import LtiLogin, LtiPicking, LtiTicket
from peerage_web.lti.models.platforms import LtiDeployment, LtiInvitation, LtiRegistration
from peerage_web.lti.models.scores import LtiLineItem, LtiScore

__all__ = [
    "LtiContext",
    "LtiDeployment",
    "LtiInvitation",
    "LtiKey",
    "LtiLineItem",
    "LtiLink",
    "LtiLogin",
    "LtiPicking",
    "LtiPlace",
    "LtiRegistration",
    "LtiScore",
    "LtiTicket",
]

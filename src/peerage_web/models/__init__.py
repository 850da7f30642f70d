"""What the database holds."""

from peerage_web.models.job import Job
from peerage_web.models.token import ApiToken
from peerage_web.models.visit import Visit

__all__ = ["ApiToken", "Job", "Visit"]

"""What the database holds. Each part of the service has its own models; Django looks for them here."""

from peerage_web.accounts.models import ApiToken
from peerage_web.files.models import Job
from peerage_web.shared.models import RequestCount

__all__ = ["ApiToken", "Job", "RequestCount"]

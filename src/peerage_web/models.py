"""What the database holds. Each part of the service has its own models; Django looks for them here."""

from peerage_web.accounts import models as accounts_models  # noqa: F401
from peerage_web.classes import models as classes_models  # noqa: F401
from peerage_web.files import models as files_models  # noqa: F401
from peerage_web.lti import models as lti_models  # noqa: F401
from peerage_web.shared import models as shared_models  # noqa: F401

"""What the database holds. Each part of the service has its own models; Django looks for them here."""

from peerage_web.accounts import models as accounts_models  # noqa: F401
from peerage_web.classes.activity_log import models as activity_log_models  # noqa: F401
from peerage_web.classes.allocation import models as allocation_models  # noqa: F401
from peerage_web.classes.announcements import models as announcements_models  # noqa: F401
from peerage_web.classes.appeals import models as appeals_models  # noqa: F401
from peerage_web.classes.assignments import models as assignments_models  # noqa: F401
from peerage_web.classes.courses import models as courses_models  # noqa: F401
from peerage_web.classes.grading import models as grading_models  # noqa: F401
from peerage_web.classes.practice import models as practice_models  # noqa: F401
from peerage_web.classes.progress import models as progress_models  # noqa: F401
from peerage_web.classes.release import models as release_models  # noqa: F401
from peerage_web.classes.reviewing import models as reviewing_models  # noqa: F401
from peerage_web.classes.rubrics import models as rubrics_models  # noqa: F401
from peerage_web.classes.submissions import models as submissions_models  # noqa: F401
from peerage_web.classes.survey import models as survey_models  # noqa: F401
from peerage_web.classes.webhooks import models as webhooks_models  # noqa: F401
from peerage_web.files import models as files_models  # noqa: F401
from peerage_web.lti import models as lti_models  # noqa: F401
from peerage_web.shared import models as shared_models  # noqa: F401

"""What the web server calls."""

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from peerage_web.configuration.environment import data_folder
from peerage_web.configuration.secrets import make_secret_key
from peerage_web.shared.uploads import with_length

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "peerage_web.settings")
make_secret_key(data_folder())
application = with_length(
    get_wsgi_application(), most=3 * settings.LIMITS.file_bytes, folder=str(settings.INCOMING)
)

"""All settings. Values come from the environment; docs/reference/settings.md lists them.

SQLite in the data folder by default, so that a fresh checkout runs; PostgreSQL through DATABASE_URL.
"""

from importlib.resources import files
from pathlib import Path

from peerage_web.configuration import environment as env
from peerage_web.configuration.environment import Limits
from peerage_web.configuration.secrets import secret, secret_key

HERE = Path(__file__).parent
DATA = env.data_folder()
JOBS = DATA / "jobs"  # one folder per job: what was uploaded, what came out
INCOMING = DATA / "incoming"  # uploads on their way in
ROSTERS = DATA / "rosters"  # between preview and commit
SUBMISSIONS = DATA / "submissions"  # one folder per file that was submitted
HEARTBEATS = DATA / "heartbeats"  # of the processes
TRACES = DATA / "traces"  # requests with shortened addresses, a file per day
TRACE_DAYS = env.number("PEERAGE_TRACE_DAYS", 7, least=0, most=90)  # for which they are kept
LEAST_FREE = env.number("PEERAGE_MIN_FREE_MEGABYTES", 500, least=0) << 20  # of disk, to count as ready
LIMITS = Limits.from_environment()
TASK_WORKERS = env.number("PEERAGE_TASK_WORKERS", 2)  # jobs that are graded at once

# Who may grade a file: everybody, people with an account, or nobody (the page is switched off).
GRADE_A_FILE = env.choice("PEERAGE_GRADE_A_FILE", "public", ("public", "sign-in", "off"))
# Who asks people to sign in does not want strangers to come in through the API.
_open = "public" if GRADE_A_FILE == "public" else "token"
API_ACCESS = env.choice("PEERAGE_API", _open, ("public", "token", "off"))
CLASSES = env.flag("PEERAGE_CLASSES", True)  # whether courses can be run here
# whether webhooks of courses may lead into the operator's own network, and go without TLS
WEBHOOKS_PRIVATE = env.flag("PEERAGE_WEBHOOKS_PRIVATE", False)
MANUAL = env.manual("PEERAGE_MANUAL", HERE / "manual")  # the built documentation, shown as help
CONTACT = env.text("PEERAGE_CONTACT", "")  # whom the privacy page names

DEBUG = False
SECRET_KEY = secret_key(DATA)
ALLOWED_HOSTS = env.hosts("PEERAGE_HOSTS", "localhost,127.0.0.1,[::1]")
HTTPS = env.flag("PEERAGE_HTTPS", False)  # whether visitors come through TLS, as they should on a network
PROXY = env.flag("PEERAGE_PROXY", False)  # whether a proxy of ours sets X-Forwarded-For and -Proto
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in ALLOWED_HOSTS if host != "*"] if HTTPS else []

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django_htmx",
    "peerage_web",
]
MIDDLEWARE = [
    "peerage_web.shared.middleware.RequestLog",
    "peerage_web.shared.middleware.ReleaseConnections",
    "peerage_web.shared.middleware.HealthChecks",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "peerage_web.shared.middleware.PrivacyHeaders",
    "peerage_web.api.access.ApiAccess",
    "peerage_web.shared.middleware.InterruptedRequests",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "peerage_web.shared.middleware.Language",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "peerage_web.urls"
WSGI_APPLICATION = "peerage_web.wsgi.application"
PARTS = ("shared", "accounts", "files", "classes", "lti", "demo", "operators")  # with templates of their own
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [
            *(HERE / part / "templates" for part in PARTS),
            *sorted((HERE / "classes").glob("*/templates")),  # every feature brings its own
        ],
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "peerage_web.shared.context_processors.instance",
            ]
        },
    }
]

_url = (secret("DATABASE_URL") or "").strip()
# in one process: web workers have many threads, which share these; the others need two or three
_POOL = env.number("PEERAGE_DATABASE_CONNECTIONS", 8, least=3)
DATABASES = {"default": env.database(_url, _POOL) if _url else env.sqlite(str(DATA / "peerage.sqlite3"))}

STATIC_URL = "static/"
STATIC_ROOT = DATA / "static"
STATICFILES_DIRS = [
    ("shared", HERE / "shared" / "static"),
    ("files", HERE / "files" / "static"),
    ("classes", HERE / "classes" / "static"),
    ("lti", HERE / "lti" / "static"),
    ("report", str(files("peerage") / "report" / "assets")),  # to import the report is slow
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "peerage_web.shared.static_files.HashedStaticFiles"},
}

# Uploads: the size is watched while they come in, so that a large one is refused before it fills the disk.
FILE_UPLOAD_HANDLERS = [
    "peerage_web.shared.uploads.BoundedUpload",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
FILE_UPLOAD_TEMP_DIR = str(INCOMING)
FILE_UPLOAD_PERMISSIONS = 0o600
DATA_UPLOAD_MAX_MEMORY_SIZE = LIMITS.file_bytes  # pasted text counts as a file
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1500  # of the longest list: 200 submissions with a place and 6 questions each
DATA_UPLOAD_MAX_NUMBER_FILES = 5

AUTH_USER_MODEL = "peerage_web.Person"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",  # of accounts that are older
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "courses"
LOGOUT_REDIRECT_URL = "start" if GRADE_A_FILE != "off" else "sign-in"
# How the world reaches this instance, for links in mail; and how its mail leaves.
_first_host = next((host for host in ALLOWED_HOSTS if host != "*"), "localhost")
BASE_URL = env.text("PEERAGE_URL", f"https://{_first_host}" if HTTPS else "http://localhost:8000").rstrip("/")
MAIL_FOLDER = DATA / "mail"  # where mail goes as files as long as there is no server for it
globals().update(env.mail(secret("PEERAGE_MAIL") or "", MAIL_FOLDER))
DEFAULT_FROM_EMAIL = env.text("PEERAGE_MAIL_FROM", f"Peerage <noreply@{_first_host}>")
EMAIL_TIMEOUT = 10
REMINDERS_PER_HOUR = env.number("PEERAGE_REMINDERS_PER_HOUR", 2000)  # of all courses together
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
SESSION_ENGINE = "peerage_web.shared.sessions"
SESSION_COOKIE_AGE = 12 * 3600
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "peerage_web.shared.views.errors.csrf_failure"
# not "no-referrer": browsers then send forms with the origin "null", which Django rightly refuses
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PROXY else None
X_FRAME_OPTIONS = "DENY"

LANGUAGE_CODE = "en"
FORMAT_MODULE_PATH = ["peerage_web.formats"]
LANGUAGES = [("en", "English"), ("de", "Deutsch"), ("fr", "Français")]
LOCALE_PATHS = [HERE / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "peerage_web.configuration.logs.JsonLines"}},
    "handlers": {"stderr": {"class": "peerage_web.configuration.logs.StandardError", "formatter": "json"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "peerage_web": {"level": "INFO"},
        "django.request": {"level": "ERROR"},  # answers of 4xx are in our own log, without their addresses
        "django.security": {"level": "ERROR"},
    },
}


env.refuse_unknown()  # after the last setting was read

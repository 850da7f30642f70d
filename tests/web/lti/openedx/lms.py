"""Open edX's LTI consumer as a small learning platform: a process of its own, in an environment of its own.

    python lms.py PORT TOOL      serves on 127.0.0.1:PORT, for the tool at TOOL (https://… without a slash)

The consumer (lti-consumer-xblock, AGPL) is the real one: its views, models, signatures and services. What
the rest of Open edX would give it (courses, enrolments, grade book) stands here in a few lines. `/control/`
is for tests: what to open in a browser, and what has arrived.
"""

import json
import sys
import types
from pathlib import Path
from tempfile import mkdtemp

PORT, TOOL = int(sys.argv[1]), sys.argv[2]
BASE = f"http://127.0.0.1:{PORT}"
LOCATION = "block-v1:Org+Physics+2026+type@lti_consumer+block@peerage"
COURSE = "course-v1:Org+Physics+2026"
MEMBERS = {1: "teacher", 2: "ada", 3: "ben", 4: "cem", 5: "dia"}  # the first is the instructor
PUBLISHED: list[dict[str, object]] = []


def configure() -> None:
    import django
    from django.conf import settings

    folder = Path(mkdtemp(prefix="openedx-"))
    settings.configure(
        SECRET_KEY="only for tests",
        DEBUG=False,
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF=__name__,
        LMS_ROOT_URL=BASE,
        USAGE_ID_PATTERN=r"(?P<usage_id>(?:i4x://?[^/]+/[^/]+/[^/]+/[^@]+(?:@[^/]+)?)|(?:[^/]+))",
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(folder / "db.sqlite3")}},
        CACHES={"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}},
        INSTALLED_APPS=[
            "django.contrib.contenttypes",
            "django.contrib.auth",
            "django.contrib.sessions",
            "rest_framework",
            "config_models",
            "lti_consumer",
        ],
        MIDDLEWARE=[
            "edx_django_utils.cache.middleware.RequestCacheMiddleware",
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
        ],
        TEMPLATES=[
            {
                "BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True,
                "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
            }
        ],
        DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        USE_TZ=True,
        FEATURES={},
        PLATFORM_NAME="Open edX",
    )
    stand_in()
    django.setup()


def stand_in() -> None:
    """What the consumer asks the rest of Open edX for."""
    from lti_consumer.plugin import compat

    off = types.SimpleNamespace(is_enabled=lambda *given: False)
    for name in vars(compat).copy():
        if name.endswith("_waffle_flag"):
            setattr(compat, name, lambda: off)
    compat.get_signal_handler = lambda: None
    compat.nrps_pii_disallowed = lambda: False
    compat.user_has_studio_write_access = lambda user, key: True
    compat.get_course_members = lambda key: {
        number: {
            "id": number,
            "username": name,
            "name": name.title(),
            "email": f"{name}@uni.example",
            "roles": ["instructor"] if number == 1 else ["student"],
        }
        for number, name in MEMBERS.items()
    }
    compat.merge_course_forum_roles = lambda key, data: None
    compat.batch_get_or_create_externalids = lambda users: {
        number: types.SimpleNamespace(external_user_id=external(number)) for number in MEMBERS
    }
    compat.get_user_from_external_user_id = lambda text: text
    compat.load_block_as_user = lambda key: Block()
    compat.load_enough_xblock = lambda key: Block()


def external(number: int) -> str:
    return f"external-{number}"


class Block:
    """A graded block, which notes what the grade book would get."""

    lti_1p3_passport_id, display_name, context_id = "", "Peerage", COURSE
    has_score, accept_grades_past_due, weight = True, True, 1
    scope_ids = types.SimpleNamespace(usage_id=LOCATION)

    def is_past_due(self) -> bool:
        return False

    def max_score(self) -> float:
        return 1.0

    def set_user_module_score(self, user, score, most, comment="") -> None:
        PUBLISHED.append({"user": user, "score": score})


def prepare() -> None:
    from django.core.management import call_command
    from lti_consumer.models import CourseAllowPIISharingInLTIFlag, Lti1p3Passport, LtiConfiguration
    from opaque_keys.edx.keys import CourseKey, UsageKey

    call_command("migrate", verbosity=0)
    CourseAllowPIISharingInLTIFlag.objects.create(course_id=CourseKey.from_string(COURSE), enabled=True)
    passport = Lti1p3Passport.objects.create(lti_1p3_tool_keyset_url=f"{TOOL}/lti/keys")
    LtiConfiguration.objects.create(
        version="lti_1p3",
        config_store=LtiConfiguration.CONFIG_ON_DB,
        location=UsageKey.from_string(LOCATION),
        lti_1p3_passport=passport,
        lti_1p3_oidc_url=f"{TOOL}/lti/login",
        lti_1p3_launch_url=f"{TOOL}/lti/launch",
        lti_advantage_enable_nrps=True,
        lti_advantage_deep_linking_enabled=True,
        lti_advantage_deep_linking_launch_url=f"{TOOL}/lti/launch",
        lti_advantage_ags_mode=LtiConfiguration.LTI_ADVANTAGE_AGS_PROGRAMMATIC,
    )


def control(request, what: str):
    from django.http import JsonResponse
    from lti_consumer import api
    from lti_consumer.data import Lti1p3LaunchData
    from lti_consumer.models import LtiAgsLineItem, LtiAgsScore, LtiConfiguration, LtiDlContentItem

    config = LtiConfiguration.objects.get()
    number = int(request.GET.get("user", 1))
    data = Lti1p3LaunchData(
        user_id=number,
        user_role="instructor" if number == 1 else "student",
        config_id=config.config_id,
        resource_link_id=LOCATION,
        external_user_id=external(number),
        name=MEMBERS[number].title(),
        context_id=COURSE,
        context_type=["course_offering"],
        context_title="Physics",
        context_label="PH1",
    )
    if what == "about":
        found = api.get_lti_1p3_launch_info(data)
        return JsonResponse({"issuer": BASE, **{name: str(value) for name, value in found.items()}})
    if what == "launch":
        return JsonResponse({"url": api.get_lti_1p3_content_url(data)})
    if what == "deep-link":
        return JsonResponse({"url": api.get_lti_1p3_launch_start_url(data, deep_link_launch=True)})
    return JsonResponse(
        {
            "items": list(LtiAgsLineItem.objects.order_by("pk").values("pk", "tag", "label", "resource_id")),
            "scores": list(
                LtiAgsScore.objects.values("line_item__tag", "user_id", "score_given", "score_maximum")
            ),
            "published": PUBLISHED,
            "links": [json.loads(json.dumps(one.attributes)) for one in LtiDlContentItem.objects.all()],
        }
    )


def serve() -> None:
    from wsgiref.simple_server import WSGIRequestHandler, make_server

    from django.core.wsgi import get_wsgi_application

    class Quiet(WSGIRequestHandler):
        def log_message(self, *given) -> None:
            pass

    with make_server("127.0.0.1", PORT, get_wsgi_application(), handler_class=Quiet) as server:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        server.serve_forever()


if __name__ == "__main__":
    sys.modules["lms"] = sys.modules[__name__]
    configure()
    prepare()
    from django.urls import include, path

    urlpatterns = [
        path("api/", include("lti_consumer.plugin.urls")),
        path("control/<str:what>", control),
    ]
    serve()

"""What tests of LTI share: the platform, registered, and a browser that launches."""

from collections.abc import Iterator
from functools import cache

import pytest
from django.utils import timezone
from tests.web.classes.cast import Cast
from tests.web.lti.strict_platform import Platform
from tests.web.lti.tool import Tool, register

from peerage_web.classes.courses.models import Course
from peerage_web.lti import platform_client
from peerage_web.lti.keys import make_key, public_keys
from peerage_web.lti.models import LtiKey


@pytest.fixture(autouse=True)
def known_by_its_name(settings):
    settings.BASE_URL = "http://testserver"
    platform_client._tokens.clear()  # tokens of an earlier test's platform


@cache
def _key() -> LtiKey:
    return make_key(signs_from=timezone.now())


def known_key() -> None:
    """Our key; making one takes a while, so tests share it."""
    _key().save()


@pytest.fixture
def manner(request) -> type[Platform]:
    """Of a strict platform; `as_moodle` makes it another."""
    return getattr(request, "param", Platform)


@pytest.fixture
def platform(db, manner) -> Iterator[Platform]:
    known_key()
    known = public_keys()  # asked for here: its threads must not use this one's database
    started = manner(tool_keys=lambda: known).start()
    yield started
    started.stop()


@pytest.fixture
def tool(platform) -> Tool:
    """The service as the platform has registered it."""
    return Tool(platform, register(platform))


@pytest.fixture
def cast(db) -> Cast:
    return Cast()


@pytest.fixture
def course(cast, tool) -> Course:
    """Connected."""
    tool.connect(cast.course)
    return cast.course

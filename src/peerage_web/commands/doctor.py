"""What `peerage doctor` says of the web service."""

import os

from peerage.cli._setup import SetupFindings, bad


def findings() -> SetupFindings:
    """Settings, walls, data folder, disk and database of the instance; nothing is made or changed."""
    try:
        import django
        from django.core.exceptions import ImproperlyConfigured

        from peerage_web.commands._instance import find_settings
    except ImportError:
        return  # that it is not installed was said
    find_settings(None)
    os.environ["DJANGO_SETTINGS_MODULE"] = "peerage_web.settings"
    try:
        django.setup()
    except ImproperlyConfigured as error:
        yield bad("settings", str(error))
        return
    except ImportError as error:
        yield bad("web", f"{error.name} is missing; run: pip install 'peerage[web]'")
        return
    from peerage_web.operations.checks import instance_findings

    yield from instance_findings()

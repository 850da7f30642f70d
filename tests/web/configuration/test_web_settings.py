"""Settings: what is taken, what is refused, and that all of them are written down."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from peerage_web.configuration import environment as env
from peerage_web.configuration.secrets import make_secret_key, secret_key
from peerage_web.operations.checks import is_local, network

ROOT = Path(__file__).parents[3]
LOCAL = ["localhost", "127.0.0.1", "[::1]"]


def test_network_settings():
    for host, names, given, expected in (
        ("127.0.0.1", LOCAL, {}, ["ok"]),
        ("127.0.0.1", ["*"], {}, ["bad", "ok"]),
        ("127.0.0.1", ["*"], {"proxy": True}, ["bad", "ok"]),
        ("127.0.0.1", ["*"], {"proxy": True, "https": True}, ["ok"]),
        ("127.0.0.1", ["example.org"], {"https": True}, ["bad", "ok"]),
        ("0.0.0.0", LOCAL, {}, ["bad"]),
        ("0.0.0.0", ["example.org"], {}, ["note"]),
        ("0.0.0.0", ["example.org"], {"proxy": True, "https": True}, ["ok"]),
    ):
        findings = network(host, names, **{"https": False, "proxy": False, **given})
        assert [finding.kind for finding in findings] == expected, (host, names, given)

    hosts = ("127.0.0.1", "::1", "localhost", "0.0.0.0", "example.org")
    assert [is_local(host) for host in hosts] == [True, True, True, False, False]


NUMBER = "use a whole number from 1 to 1,000,000,000"


@pytest.mark.parametrize(
    ("read", "value", "message"),
    [
        (lambda: env.flag("PEERAGE_X", False), "yes", "='yes': use 'True' or 'False'"),
        (lambda: env.number("PEERAGE_X", 1), "0", f"='0': {NUMBER}"),
        (lambda: env.number("PEERAGE_X", 1), "²", f"='²': {NUMBER}"),
        (lambda: env.number("PEERAGE_X", 1, most=9), "10", "='10': use a whole number from 1 to 9"),
        (lambda: env.hosts("PEERAGE_X", "a"), ",", " is empty; leave it out, or name at least one"),
        (lambda: env.choice("PEERAGE_X", "a", ("a", "b")), "c", "='c': use one of a, b"),
    ],
)
def test_value_that_cannot_be_meant_is_refused(monkeypatch, read, value, message):
    monkeypatch.setenv("PEERAGE_X", value)

    with pytest.raises(ImproperlyConfigured, match=f"^PEERAGE_X{re.escape(message)}$"):
        read()


def test_database_address_is_taken_apart():
    assert env.database("postgresql://ann:se:cret@db/grades")["PASSWORD"] == "se:cret"
    found = env.database("postgresql://ann:p%40ss@db.example.org:5433/grades?sslmode=require", pool=6)

    parts = {name: found[name] for name in ("NAME", "USER", "PASSWORD", "HOST", "PORT", "OPTIONS")}
    assert parts == {
        "NAME": "grades",
        "USER": "ann",
        "PASSWORD": "p@ss",
        "HOST": "db.example.org",
        "PORT": "5433",
        "OPTIONS": {
            "sslmode": "require",
            "connect_timeout": "10",
            "options": "-c lock_timeout=20000",
            "pool": {"min_size": 0, "max_size": 6, "timeout": 5, "max_idle": 60, "reconnect_timeout": 5},
        },
    }


def test_database_addresses_that_cannot_be_meant_never_show_their_password():
    for url in (
        "postgresql://ann:secret@db:secret/grades",
        "postgresql://ann:12/secret@db/grades",
        "postgresql://ann:12?secret@db/grades",
        "postgresql://ann:12#secret@db/grades",
        "postgresql://ann:[secret@db/grades",
        "postgresql://ann:secret@db/",
        "postgresql://ann:secret@db",
        "mysql://ann:secret@db/grades",
        "secret",
    ):
        with pytest.raises(ImproperlyConfigured) as caught:
            env.database(url)
        assert "secret" not in str(caught.value)
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_hosts_are_names_alone_as_browsers_send_them(monkeypatch):
    monkeypatch.setenv("PEERAGE_X", "Peerage.Example.org, .example.org,[::1],127.0.0.1,*")
    assert env.hosts("PEERAGE_X", "") == ["peerage.example.org", ".example.org", "[::1]", "127.0.0.1", "*"]

    for host in ("https://example.org", "example.org:8000", "example.org/x", "exa mple.org", "é.org"):
        monkeypatch.setenv("PEERAGE_X", f"localhost,{host}")
        with pytest.raises(ImproperlyConfigured, match="is no name of a host"):
            env.hosts("PEERAGE_X", "localhost")


def test_unknown_names_are_refused(monkeypatch):
    """How one that is misspelt is told, tests/web/commands/test_web_instance.py sees."""
    monkeypatch.setenv("PEERAGE_ZZZZ", "sign-in")

    with pytest.raises(ImproperlyConfigured, match="ZZZZ: there is no such setting; docs/reference/settings"):
        env.refuse_unknown()


def test_secret_key_is_made_once(tmp_path):
    folder = tmp_path / "new"
    make_secret_key(folder)
    first = secret_key(folder)

    make_secret_key(folder)

    assert secret_key(folder) == first
    assert [path.name for path in folder.iterdir()] == ["secret.key"]


def test_short_secret_key_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("PEERAGE_SECRET_KEY", "short")

    with pytest.raises(ImproperlyConfigured, match="PEERAGE_SECRET_KEY has 5 characters; use 50 or more"):
        secret_key(tmp_path)


def test_every_setting_is_documented_with_its_limit():
    page = (ROOT / "docs" / "reference" / "settings.md").read_text("utf-8")
    modules = (ROOT / "src" / "peerage_web").rglob("*.py")
    read = set(re.findall(r'"(PEERAGE_[A-Z_]+[A-Z])"', "".join(path.read_text("utf-8") for path in modules)))
    environment = (ROOT / "src" / "peerage_web" / "configuration" / "environment.py").read_text("utf-8")
    limits = re.findall(r'number\("(PEERAGE_\w+)", ([\d_]+)', environment)

    documented = re.findall(r"^\| `(PEERAGE_[A-Z_]+[A-Z])`", page, re.MULTILINE)
    assert sorted(documented) == sorted(read - {"PEERAGE_DATASETS"})  # of tests and experiments
    assert limits
    assert [name for name, text in limits if f"| `{name}` | `{int(text)}` |" not in page] == []


# -- secrets are in no environment once the service has started; its own processes know them all the same ----

SECRETS = {
    "PEERAGE_SECRET_KEY": "k" * 60,
    "DATABASE_URL": "postgresql://user:word@host/name",
    "PGPASSWORD": "another word",
}

SUPERVISOR = """
import json, os, subprocess, sys
from pathlib import Path
from peerage_web.configuration import secrets
from peerage_web.operations.supervisor import Process

secrets.hide_secrets()
CHILD = '''
import json, os
from pathlib import Path
from peerage_web.configuration.secrets import secret
known = {name: secret(name) for name in json.loads(os.environ["ASKED"])}
environ = Path("/proc/self/environ").read_text()
handed = os.environ.get("_PEERAGE_SECRETS")
started = __import__("subprocess").run(["env"], capture_output=True, text=True).stdout
print(json.dumps([known, environ + started, handed]), flush=True)
'''
process = Process("child", lambda: [sys.executable, "-c", CHILD])
process.start_if_due()
process.wait(60)
stranger = subprocess.run(["env"], capture_output=True, text=True).stdout
print(json.dumps([Path("/proc/self/environ").read_text() + stranger, secrets.secret("PGPASSWORD")]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere secrets stay where they are")
def test_secrets_leave_the_environment_and_reach_our_own_processes():
    environment = {**os.environ, **SECRETS, "ASKED": json.dumps([*SECRETS]), "AFTER": "kept"}

    done = subprocess.run(
        [sys.executable, "-c", SUPERVISOR], env=environment, capture_output=True, text=True, check=True
    )

    (known, child, handed), (supervisor, own) = map(json.loads, done.stdout.splitlines())
    assert (known, handed, own) == (SECRETS, None, SECRETS["PGPASSWORD"])
    assert "AFTER=kept" in child
    assert "AFTER=kept" in supervisor
    for value in SECRETS.values():
        assert value not in child
        assert value not in supervisor


def test_processes_of_the_service_load_no_estimation(tmp_path):
    """Children alone grade; to each of the others it would cost most of its start and 85 MB."""
    script = (
        "import sys, django; django.setup()\n"
        "import peerage_web.urls, peerage_web.classes.maintenance, peerage_web.files.services.running\n"
        "print(*{'numba', 'scipy', 'peerage.models.fitting'} & set(sys.modules))"
    )
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "peerage_web.settings",
        "PEERAGE_DATA": str(tmp_path),
    }

    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == []

"""Help is the manual, where it was built."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from hatch_build import manual as packed_manual
from tests.web.page_facts import texts

from peerage_web.configuration import environment as env
from peerage_web.shared.middleware import POLICY


@pytest.fixture
def manual(tmp_path, settings):
    folder = tmp_path / "site"
    (folder / "_static").mkdir(parents=True)
    (folder / "index.html").write_text("<h1>Peerage</h1>")
    (folder / "_static" / "search.js").write_text("search()")
    (tmp_path / "secret.key").write_text("secret")
    settings.MANUAL = folder
    return folder


def test_help_leads_to_the_manual(client, manual):
    response = client.get("/help", follow=True)

    assert response.redirect_chain == [("/help/", 302)]
    assert b"".join(response.streaming_content) == b"<h1>Peerage</h1>"
    script = client.get("/help/_static/search.js")
    assert (b"".join(script.streaming_content), script["Content-Type"]) == (b"search()", "text/javascript")


@pytest.mark.django_db  # the end of a request looks after its connection
def test_scripts_of_the_manual_are_bound_as_everywhere_and_other_pages_keep_their_policy(client, manual):
    response = client.get("/help/")
    policy = response.headers["Content-Security-Policy"].split("; ")
    response.close()

    assert set(POLICY.split("; ")) - set(policy) == {"style-src 'self'"}
    assert set(policy) - set(POLICY.split("; ")) == {"style-src 'self' 'unsafe-inline'", "font-src 'self'"}
    assert client.get("/privacy").headers["Content-Security-Policy"] == POLICY


def test_nothing_but_files_of_the_manual_is_served(client, manual):
    for page in ("../secret.key", "%2e%2e/secret.key", "..%2fsecret.key", "_static/", "/etc/passwd"):
        response = client.get(f"/help/{page}")

        assert response.status_code == 404, page
        assert b"secret" not in response.content

    assert client.post("/help/").status_code == 405


def test_without_a_manual_help_is_a_page(client, settings):
    settings.MANUAL = None

    assert texts(client.get("/help"), "h1") == ["Help"]
    assert [client.get(address).status_code for address in ("/help/", "/help/index.html")] == [404, 404]


def test_the_named_folder_counts_else_the_one_in_the_package(manual, tmp_path, monkeypatch):
    assert env.manual("PEERAGE_MANUAL", manual) == manual
    assert env.manual("PEERAGE_MANUAL", tmp_path) is None

    monkeypatch.setenv("PEERAGE_MANUAL", str(manual))
    assert env.manual("PEERAGE_MANUAL", tmp_path) == manual

    monkeypatch.setenv("PEERAGE_MANUAL", str(tmp_path))
    with pytest.raises(ImproperlyConfigured, match=r"there is no index\.html"):
        env.manual("PEERAGE_MANUAL", manual)


def test_a_wheel_takes_the_manual_along_once_it_is_built(tmp_path):
    assert packed_manual(tmp_path, "wheel") == {}

    site = tmp_path / "build" / "docs"
    site.mkdir(parents=True)
    (site / "index.html").touch()

    assert packed_manual(tmp_path, "wheel") == {str(site): "peerage_web/manual"}
    assert packed_manual(tmp_path, "sdist") == {str(site): "build/docs"}

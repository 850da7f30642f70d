"""HEAD, OPTIONS, names given twice, and requests that pages of other sites send."""

import http.client
import json
from contextlib import closing

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

pytestmark = pytest.mark.django_db
LIGHT = "/api/v1/problems/data"
ROWS = b"grader,item,rank\na,x,1\na,y,2\nb,x,1\nb,y,2\n"


def form(**more):
    return {"file": SimpleUploadedFile("feedback.csv", ROWS), **more}


def test_head_answers_as_get_without_a_body(client):
    got, asked = client.get(LIGHT), client.head(LIGHT)

    assert (asked.status_code, asked.content) == (200, b"")
    assert asked.headers["Content-Length"] == str(len(got.content))
    assert asked.headers["Content-Type"] == got.headers["Content-Type"]


def test_options_say_what_an_address_takes(client):
    takes = {LIGHT: "GET, HEAD, OPTIONS", "/api/v1/grade": "POST, OPTIONS", "/api/v1/check": "POST, OPTIONS"}
    for address, allowed in takes.items():
        asked, wrong = client.options(address), client.patch(address)
        assert (asked.status_code, asked.headers["Allow"], asked.content) == (204, allowed, b"")
        assert (wrong.status_code, wrong.headers["Allow"]) == (405, allowed)
        assert wrong.json()["detail"] == f"Allowed: {allowed}. You sent PATCH."

    assert [client.head("/api/v1/x").status_code, client.options("/api/v1/x").status_code] == [404, 404]


def test_what_is_given_twice_is_refused(client):
    files = [SimpleUploadedFile(name, ROWS) for name in ("feedback.csv", "other.csv")]
    for given, name in (
        (form(missing=["drop", "error"]), "missing"),
        ({"file": files}, "file"),
        (form(columns='{"item": "item", "item": "grader"}'), "item"),
    ):
        answer = client.post("/api/v1/check", given)
        assert (answer.status_code, answer.json()["detail"]) == (422, f"{name} is given twice")

    for again in ('"students": 6, "per_student": 2', '"per_student": 2, "students": 5'):
        body = f'{{"students": 5, {again}}}'
        answer = client.post("/api/v1/plan", body, content_type="application/json")
        assert (answer.status_code, answer.json()["detail"]) == (422, "students is given twice")


def test_pages_of_other_sites_are_refused(client):
    origins = ("https://evil.example", "null", "http://[", "http://testserver:8000")
    theirs = [{"Origin": origin} for origin in origins]
    theirs += [{"Sec-Fetch-Site": site} for site in ("cross-site", "same-site")]
    for headers in theirs:
        answer = client.post("/api/v1/check", form(), headers=headers)
        assert (answer.status_code, answer.json()["type"]) == (403, "/api/v1/problems/forbidden"), headers


def test_programs_and_our_own_pages_are_served(client):
    ours = [{}, {"Origin": "http://testserver"}]
    ours += [{"Sec-Fetch-Site": site} for site in ("same-origin", "none")]
    assert [client.get(LIGHT, headers=headers).status_code for headers in ours] == [200] * 4

    odd = client.get(LIGHT, headers={"Host": "evil.example", "Origin": "http://evil.example"})
    assert odd.status_code == 400


def chunks(service, *parts):
    """POST a form in pieces, without saying how long it is."""
    mark = "x" * 30
    head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="feedback.csv"\r\n\r\n'
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=300)
    body = iter([head.encode(), *parts, f"\r\n--{mark}--\r\n".encode()])
    kind = {"Content-Type": f"multipart/form-data; boundary={mark}"}
    with closing(connection):
        connection.request("POST", "/api/v1/check", body, kind, encode_chunked=True)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


def test_uploads_in_chunks_arrive_whole_and_are_bounded(service):
    status, found = chunks(service, ROWS[:20], ROWS[20:])
    assert (status, found.get("detail")) == (200, None)
    assert found["counts"]["reviews"] == 4

    status, found = chunks(service, ROWS, *[b"a,b,1\n" * 100_000] * 40)
    assert (status, found["type"]) == (413, "/api/v1/problems/too-large")

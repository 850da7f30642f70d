"""The OpenAPI document, and what schemathesis finds when it holds the API to it."""

from dataclasses import replace

import pytest
import schemathesis
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.handlers.wsgi import WSGIHandler
from hypothesis import HealthCheck, Phase, assume, given
from hypothesis import settings as bounded
from schemathesis import GenerationMode
from schemathesis.checks import load_all_checks, not_a_server_error
from schemathesis.specs.openapi import checks
from tests.web.classes.cast import Cast, allocate, grading_run, move, submit, submit_ranking

from peerage_web.accounts.services.tokens import Scope, add_token
from peerage_web.api_urls import api
from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.enums import Phase as ClassPhase
from peerage_web.files.services.drafts import create_job
from peerage_web.files.services.jobs import start_job
from peerage_web.files.services.running import run_next
from peerage_web.sandbox.contract.jobs import JobOptions

pytestmark = pytest.mark.django_db(transaction=True)  # the handler closes connections after every request

PATHS = api.get_openapi_schema()["paths"]
OPERATIONS = [(method, path) for path, methods in PATHS.items() for method in methods]
WITH_BODY = [(method, path) for method, path in OPERATIONS if "requestBody" in PATHS[path][method]]
OF_A_JOB = [(method, path) for method, path in OPERATIONS if "{key}" in path and method != "delete"]
CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
    checks.allow_header_conformance,
]
SMALL = b"grader,item,rank\nada,x,1\nada,y,2\nben,y,1\nben,z,2\ncem,x,1\ncem,z,2\n"
MANY = 15
EXAMPLES = {"/api/v1/plan": 4}  # of which most run until their time is up
# without a token each of them says the same (see test_classes_api_permissions), so they are asked with one
OF_COURSES = [(method, path) for method, path in OPERATIONS if path.startswith("/api/v1/courses")]
load_all_checks()


@pytest.fixture
def schema(settings):
    """The API as its document describes it; nobody is refused for asking often, nothing takes long."""
    many = 1_000_000
    settings.LIMITS = replace(
        settings.LIMITS, requests=many, uploads=many, jobs=many, jobs_per_visitor=many, direct_seconds=2
    )
    return schemathesis.openapi.from_wsgi("/api/v1/openapi.json", WSGIHandler())


@pytest.fixture
def job():
    job = create_job(upload=SimpleUploadedFile("feedback.csv", SMALL), visitor="somebody", origin="api")
    start_job(job=job, options=JobOptions())
    run_next(worker="test")
    return job


@pytest.fixture
def classroom() -> dict[str, str | int]:
    """A course whose reviews are under way, an instructor's token for it, and objects of its addresses."""
    cast = Cast()
    submissions = [submit(cast.assignment, one) for one in cast.students[1:3]]
    allocate(cast.assignment, cast.students[0], submissions)
    move(cast.assignment, ClassPhase.REVIEWING)
    run = grading_run(cast.assignment, cast.people["instructor"])
    scope = Scope(cast.course.pk, cast.people["instructor"])
    return {
        "token": add_token(name="test", days=9, scope=scope),
        "course": cast.course.key,
        "assignment": cast.assignment.key,
        "member": cast.students[0].pk,
        "submission": submissions[0].pk,
        "run": run.key,
    }


def has_text_of_another_type(case, operation) -> bool:
    """Whether text of a form was "forbidden" by sending an object instead: a form sends either as text."""
    if case.media_type != "multipart/form-data" or not isinstance(case.body, dict):
        return False
    body = PATHS[operation.path][operation.method]["requestBody"]["content"][case.media_type]
    texts = {
        name
        for name, field in body["schema"]["properties"].items()
        if field.get("type") == "string" and "enum" not in field and field.get("format") != "binary"
    }
    return any(not isinstance(case.body[name], str) for name in texts & case.body.keys())


def hold(
    operation,
    mode: GenerationMode,
    examples: int,
    file: bytes | None = None,
    token: str | None = None,
    **fixed: str | int,
) -> None:
    """Ask so many times, and hold every answer to the document."""

    @given(case=operation.as_strategy(generation_mode=mode))
    @bounded(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def ask(case) -> None:
        assume(not has_text_of_another_type(case, operation))
        case.path_parameters.update({name: fixed[name] for name in case.path_parameters if name in fixed})
        if token is not None:
            case.headers["Authorization"] = f"Bearer {token}"
        if file is not None:
            case.body["file"] = file
        case.call_and_validate(checks=CHECKS)

    ask()


@pytest.mark.full
@pytest.mark.parametrize(("method", "path"), [one for one in OPERATIONS if one not in OF_COURSES])
def test_api_keeps_to_its_document_and_refuses_what_it_forbids(schema, limits, method, path):
    hold(schema[path][method], GenerationMode.POSITIVE, EXAMPLES.get(path, MANY))
    if (method, path) in WITH_BODY:
        limits(direct_seconds=600)  # a refusal is an answer, however busy the machine is
        hold(schema[path][method], GenerationMode.NEGATIVE, MANY)


@pytest.mark.full
@pytest.mark.parametrize(("method", "path"), OF_A_JOB)
def test_api_keeps_to_its_document_where_there_is_a_job(schema, job, method, path):
    hold(schema[path][method], GenerationMode.POSITIVE, 2, key=job.key)


@pytest.mark.full
@pytest.mark.parametrize(("method", "path"), OF_COURSES)
def test_api_of_classes_keeps_to_its_document_where_there_is_a_course(schema, classroom, method, path):
    hold(schema[path][method], GenerationMode.POSITIVE, 6, **classroom)
    if (method, path) in WITH_BODY:
        hold(schema[path][method], GenerationMode.NEGATIVE, 6, **classroom)


@pytest.mark.full
@pytest.mark.parametrize(
    ("method", "path"), [one for one in OF_COURSES if "run" in one[1] or "grade" in one[1]]
)
def test_api_of_grades_keeps_to_its_document_where_reviews_are_in(schema, classroom, method, path):
    Assignment.objects.update(phase=ClassPhase.CLOSED)

    hold(schema[path][method], GenerationMode.POSITIVE, 3, **classroom)


@pytest.mark.full
@pytest.mark.parametrize("path", ["/api/v1/check", "/api/v1/grade"])
def test_odd_options_do_not_break_a_good_file(schema, path, limits):
    limits(direct_seconds=90)

    hold(schema[path]["post"], GenerationMode.POSITIVE, MANY, file=SMALL)


def test_every_error_is_described_as_a_problem():
    for methods in PATHS.values():
        for operation in methods.values():
            errors = {status: answer for status, answer in operation["responses"].items() if status >= 400}
            assert set(errors) >= {400, 401, 404, 429, 500, 503}
            assert all(list(answer["content"]) == ["application/problem+json"] for answer in errors.values())


def test_document_can_be_read_by_everybody_and_says_whether_a_token_is_needed(client, settings):
    """Which addresses it has, docs/reference/http-api.md says, too; the pages of the framework are off."""
    document = client.get("/api/v1/openapi.json").json()

    assert document["info"]["title"] == "Peerage"
    assert document["paths"].keys() == PATHS.keys()
    assert document["security"] == [{}, {"token": []}]
    assert client.get("/api/v1/docs").status_code == 404
    settings.API_ACCESS = "token"
    assert api.get_openapi_schema()["security"] == [{"token": []}]


def test_a_run_that_is_started_is_answered_as_documented(client, classroom):
    """What is asked above finds nothing submitted, and so never starts one."""
    where = Assignment.objects.get(key=classroom["assignment"])
    reviewer = where.course.memberships.get(pk=classroom["member"])
    submit_ranking(where, reviewer, [[one.pk] for one in reviewer.reviews.all()])
    move(where, ClassPhase.CLOSED)
    path = "/api/v1/courses/{course}/assignments/{assignment}/runs"

    bearer = {"Authorization": f"Bearer {classroom['token']}"}
    answer = client.post(path.format(**classroom), "{}", content_type="application/json", headers=bearer)

    assert answer.status_code == 202
    assert "202" in map(str, PATHS[path]["post"]["responses"])

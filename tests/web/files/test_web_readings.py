"""What a file means is named in it or confirmed: on the check page, and in the API."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from tests.web.at_work import draft, queued, work_off
from tests.web.files.draft_page import HTMX, address, preview
from tests.web.page_facts import broken_rules, fields, texts, tree

from peerage import AmbiguousReadingError, read
from peerage_web.files.models import Job
from peerage_web.sandbox.contract.errors import READING_CHARACTERS

pytestmark = pytest.mark.django_db

NAMED = b"grader,item,rank\na,x,1\na,y,2\na,z,3\nb,x,1\nb,y,3\nb,z,2\n"
MATRIX = b"Name,P1,P2,P3,P4\nada,1,2,3,4\nbob,2,1,4,3\ncem,1,3,2,4\n"
WINNER = b"judge,left,right,winner\na,P1,P2,0\na,P2,P3,1\nb,P1,P3,0\nb,P2,P1,1\n"
NOTE = b"Bewerter;Arbeit;Note\na;x;1,3\na;y;2,0\nb;x;1,7\nb;z;2,3\nc;y;1,0\nc;z;3,3\n"
HEADERLESS = b"ada,P1,7\nada,P2,8\nbob,P1,5\nbob,P2,9\n"
CHANGED = {**HTMX, "HX-Trigger": "reading"}


def offered(response) -> list[str]:
    """The readings that the buttons of a page stand for."""
    return [node.attrs["value"] for node in tree(response).all("button") if "value" in node.attrs]


def proposals(data: bytes):
    with pytest.raises(AmbiguousReadingError) as refusal:
        read(data)
    return refusal.value.readings


def is_open(response) -> bool:
    return any(node.attrs.get("id") == "change" and "open" in node.attrs for node in tree(response).walk())


def test_a_named_file_is_shown_in_sentences_and_can_be_changed(client):
    job = draft(NAMED)

    page = client.get(address(job))

    assert broken_rules(page) == []
    assert texts(page, "h3") == ["This is how we read your file"]
    assert tuple(texts(page, ".sentence")) == read(NAMED).sentences
    assert texts(page, ".decided") == ["1 is read as best"]
    assert (texts(page, "summary")[0], is_open(page)) == ("Not right? Change it", False)
    preview(client, job, fields(page))
    job.refresh_from_db()
    assert job.options["reading"] == {}, "what was found must not pass for what somebody said"
    turned = preview(client, job, {**fields(page), "direction": "scores"}, CHANGED)
    assert texts(turned, ".sentence")[0] == "Lines 2 to 4: a ranks z first (3), then y (2), then x (1)."
    assert (fields(turned)["direction"], is_open(turned)) == ("scores", True)


@pytest.mark.parametrize("data", [MATRIX, WINNER], ids=["matrix", "winner"])
def test_an_open_file_offers_every_reading_and_the_chosen_one_is_kept(client, data):
    asked = client.get(address(draft(data)))
    expected = proposals(data)

    assert broken_rules(asked) == []
    assert texts(asked, "h3") == ["How should we read this file?"]
    assert texts(asked, ".primary") == texts(asked, ".sentence") == []
    assert len(offered(asked)) == len(expected)
    for which, value in enumerate(offered(asked)):
        job = draft(data, visitor=f"visitor {which}")
        read_so = client.post(address(job, "preview"), {**fields(asked), "reading": value}, follow=True)

        assert read_so.redirect_chain == [(address(job), 302)]
        assert tuple(texts(read_so, ".sentence")) == expected[which].sentences
        assert texts(read_so, ".primary") == ["Grade this class"]
        client.post(address(job, "grade"), fields(read_so))
        job.refresh_from_db()
        assert (job.state, job.options["reading"]) == ("queued", json.loads(value))


def test_cards_tell_what_differs_the_page_once_what_does_not_and_the_enter_key_chooses_none(client):
    page = client.get(address(draft(MATRIX)))

    question = "The numbers run from 1 to 4, and nothing says whether large or small ones are better."
    assert question in texts(page, ".notice")[0]
    first, second = (
        node.all("p") for node in tree(page).walk() if node.attrs.get("id", "").startswith("offer-")
    )
    assert [paragraph.content for paragraph in first] == [
        "Line 2: ada ranks P1 first, then P2, then P3, then P4.",
        "Line 3: bob ranks P2 first, then P1, then P4, then P3.",
    ]
    assert second[0].content == "Or the other way round:"
    buttons = [node for node in tree(page).all("button") if "value" in node.attrs]
    assert [button.attrs["aria-describedby"] for button in buttons] == ["offer-1", "offer-2"]
    assert "In each case: Items (4): P1, P2, P3, … Graders (3): ada, bob, cem." in texts(page, ".muted")
    form = next(node for node in tree(page).walk() if node.attrs.get("id") == "setup")
    pressed_by_enter = form.all("button")[0]
    assert ("value" in pressed_by_enter.attrs, pressed_by_enter.content) == (False, "Look again")


def test_a_column_stands_in_the_sentence_about_it(client):
    for data, question in (
        (WINNER, "Column “winner” holds the codes 0, 1, and nothing says which of them is 'left'."),
        (NOTE, "Column “Note”: grades of 1 to 6 are best low in some countries and best high in others."),
    ):
        assert question in texts(client.get(address(draft(data))), ".notice")[0]


def test_an_open_file_can_be_answered_in_the_form(client):
    job = draft(MATRIX)
    asked = client.get(address(job))

    answered = preview(client, job, {**fields(asked), "direction": "ranks"}, CHANGED)

    assert texts(answered, "h3") == ["This is how we read your file"]
    assert tuple(texts(answered, ".sentence")) == read(MATRIX, direction="ranks").sentences
    assert "It can be graded." in answered.content.decode()


def test_a_chosen_reading_shows_a_file_without_names_as_it_is_read(client):
    job = draft(HEADERLESS)
    offer = offered(client.get(address(job)))[1]

    page = client.post(address(job, "preview"), {"reading": offer}, follow=True)

    assert texts(page, ".role") == ["Who graded", "What was graded", "Score given"]
    assert [texts(page, "tr")[row] for row in (1, 4)] == ["adaP17", "bobP29"]
    assert fields(page)["header"] == "none"


def test_what_is_no_reading_changes_nothing(client):
    job = draft(MATRIX)
    for value in ("nonsense", '{"ignore": 5}', "9" * (READING_CHARACTERS + 1)):
        client.post(address(job, "preview"), {"reading": value})

        job.refresh_from_db()
        assert job.options["reading"] == {}


# -- the API ----------------------------------------------------------------------------------------------


def upload(data: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("f.csv", data)


def test_the_api_asks_with_readings_as_data_and_takes_one_of_them(client):
    checked, asked = (client.post(f"/api/v1/{path}", {"file": upload(NOTE)}) for path in ("check", "grade"))
    problem = asked.json()

    assert (asked.status_code, problem["type"]) == (422, "/api/v1/problems/ambiguous-reading")
    assert checked.json()["readings"] == problem["readings"]
    assert [offer["sentences"] for offer in problem["readings"]] == [
        list(proposal.sentences) for proposal in proposals(NOTE)
    ]
    assert "error.readings" not in problem["detail"]
    first = problem["readings"][0]
    assert first["options"].endswith("--direction lower-is-better")
    toml = proposals(NOTE)[0].reading.to_toml()
    in_fields = {"winner": ["0=left", "1=right"], "ignore": ["Age", "Hours"]}
    for path, told in (
        ("grade", {"file": upload(NOTE), "reading": json.dumps(first["reading"])}),
        ("check", {"file": upload(NOTE), "reading": toml}),
        ("check", {"file": upload(WINNER), **in_fields}),
    ):
        assert client.post(f"/api/v1/{path}", told).status_code == 200, (path, told)


@pytest.mark.django_db(transaction=True)
def test_a_job_that_meets_an_open_file_fails_with_its_readings(client):
    job = queued(NOTE)
    Job.objects.filter(pk=job.pk).update(origin="api")

    work_off()

    status = client.get(f"/api/v1/jobs/{job.key}").json()
    assert (status["state"], status["problem"]["type"]) == ("failed", "/api/v1/problems/ambiguous-reading")
    assert len(status["problem"]["readings"]) == 2
    answer = client.get(f"/api/v1/jobs/{job.key}/result")
    assert (answer.status_code, answer.json()["readings"]) == (422, status["problem"]["readings"])

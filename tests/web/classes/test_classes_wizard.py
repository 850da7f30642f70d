"""The wizard: the same form, a few fields at a time."""

from __future__ import annotations

from tests.web.page_facts import broken_rules, texts, tree

from peerage_web.classes.assignments.forms import WIZARD, AssignmentForm
from peerage_web.classes.assignments.models import Assignment


def sent(page) -> dict[str, list[str]]:
    """What the form on the page would send; several ticks share a name."""
    found: dict[str, list[str]] = {}
    (form,) = [node for node in tree(page).all("form") if "card" in node.attrs.get("class", "")]
    for node in form.all("input", "select", "textarea"):
        name, kind = node.attrs["name"], node.attrs.get("type")
        if node.tag == "select":
            chosen = [one for one in node.all("option") if "selected" in one.attrs] or node.all("option")
            found[name] = [chosen[0].attrs["value"]]
        elif kind != "checkbox":
            found.setdefault(name, []).append(node.attrs.get("value", node.content))
        elif "checked" in node.attrs:
            found.setdefault(name, []).append(node.attrs.get("value", "on"))
    found.pop("csrfmiddlewaretoken")
    return found


def test_every_field_stands_in_one_step():
    form = AssignmentForm()
    steps = [name for number in range(len(WIZARD)) for name in form.names_of_step(number)]

    assert sorted(steps) == sorted(form.fields)


def test_wizard_makes_what_the_one_page_makes(cast):
    client, path = cast.client("instructor"), f"/c/{cast.course.key}/assignments/wizard"
    page = client.get(path)
    seen = []
    for number in range(len(WIZARD)):
        assert broken_rules(page) == []
        seen += texts(page, "h2")
        answer = client.post(path, {**sent(page), **({"title": "Essay"} if number == 0 else {})})
        page = answer

    assert answer.status_code == 302
    assert seen == ["Description", "Dates", "Files", "Review", "Allocation"]
    made, bare = Assignment.objects.get(title="Essay"), Assignment()
    same = (
        "file_kinds", "most_bytes", "design", "reviews_per_student", "by_date", "ties_allowed", "in_teams",
    )  # fmt: skip
    assert {name: getattr(made, name) for name in same} == {name: getattr(bare, name) for name in same}
    assert [one.text for one in made.prompts.all()] == [
        "What is good about this submission?",
        "What would make it better?",
    ]
    assert made.due_at.strftime("%H:%M") == "23:59"


def test_a_step_with_a_mistake_is_shown_again_and_going_back_loses_nothing(cast):
    client, path = cast.client("instructor"), f"/c/{cast.course.key}/assignments/wizard"
    filled = sent(client.get(path))

    mistaken = client.post(path, {**filled, "title": ""})
    second = client.post(path, {**filled, "title": "Essay"})
    first = client.post(path, {**sent(second), "due_at": "2030-01-02T03:04", "back": "yes"})

    assert mistaken.status_code == 422
    assert texts(mistaken, ".errorlist") == ["This field is required."]
    assert texts(first, "h2") == ["Description"]
    assert (sent(first)["title"], sent(first)["due_at"]) == (["Essay"], ["2030-01-02T03:04"])


def test_dates_that_contradict_each_other_lead_back_to_them(cast):
    client, path = cast.client("instructor"), f"/c/{cast.course.key}/assignments/wizard"
    page = client.post(path, {**sent(client.get(path)), "title": "Essay"})
    given = {**sent(page), "due_at": "2030-01-02T03:04", "reviews_due_at": "2029-01-02T03:04"}

    page = client.post(path, {**given, "late_until": "", "release_at": "", "step": "4"})

    assert texts(page, "h2") == ["Dates"]
    assert texts(page, ".notice")[0].startswith("The review due date must be after")


def test_what_few_classes_change_is_behind_advanced_and_a_mistake_opens_it(cast):
    client, path = cast.client("instructor"), f"/c/{cast.course.key}/assignments/wizard"
    page = client.post(path, {**sent(client.get(path)), "title": "Essay"})
    closed, mistaken = page, client.post(path, {**sent(page), "grace_minutes": "-1"})

    boxes = [tree(one).all("details")[-1] for one in (closed, mistaken)]
    assert ["open" in box.attrs for box in boxes] == [False, True]
    assert [node.attrs["name"] for node in boxes[0].all("input")] == ["grace_minutes"]
    assert mistaken.status_code == 422

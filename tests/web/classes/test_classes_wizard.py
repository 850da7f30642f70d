"""The wizard: the same form, a few fields at a time."""

from tests.web.page_facts import texts, tree

from peerage_web.classes.assignments.forms import WIZARD, NewAssignmentForm
from peerage_web.classes.assignments.models import Assignment


def sent(page) -> dict[str, list[str]]:
    """What the largest form on the page would send; several ticks share a name."""
    form = max(tree(page).all("form"), key=lambda form: len(form.all("input", "select", "textarea")))
    found: dict[str, list[str]] = {}
    for node in form.all("input", "select", "textarea"):
        name, kind = node.attrs["name"], node.attrs.get("type")
        if node.tag == "select":
            chosen = [one for one in node.all("option") if "selected" in one.attrs] or node.all("option")
            found[name] = [chosen[0].attrs["value"]]
        elif kind not in ("checkbox", "radio"):
            found.setdefault(name, []).append(node.attrs.get("value", node.content))
        elif "checked" in node.attrs:
            found.setdefault(name, []).append(node.attrs.get("value", "on"))
    found.pop("csrfmiddlewaretoken")
    return found


def test_every_field_stands_in_one_step():
    form = NewAssignmentForm()
    steps = [name for number in range(len(WIZARD)) for name in form.names_of_step(number)]

    assert sorted(steps) == sorted(form.fields)


def test_wizard_makes_what_the_one_page_makes(cast):
    client, path = cast.client("instructor"), f"/c/{cast.course.key}/assignments/wizard"
    page = client.get(path)
    seen = []
    for number in range(len(WIZARD)):
        seen += texts(page, "h2")
        page = client.post(path, {**sent(page), **({"title": "Essay"} if number == 0 else {})})

    assert page.status_code == 302
    assert seen == ["Description", "Dates", "Files", "Review", "Grading", "Allocation"]
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
    hidden = client.post(path, {**sent(second), "grace_minutes": "-1"})
    first = client.post(path, {**sent(second), "due_at": "2030-01-02T03:04", "back": "yes"})

    assert mistaken.status_code == 422
    assert texts(mistaken, ".errorlist") == ["This field is required."]
    advanced = [tree(page).all("details")[-1] for page in (second, hidden)]
    assert ["open" in box.attrs for box in advanced] == [False, True], "its mistake is seen"
    assert texts(first, "h2") == ["Description"]
    assert (sent(first)["title"], sent(first)["due_at"]) == (["Essay"], ["2030-01-02T03:04"])


def test_dates_that_contradict_each_other_lead_back_to_them(cast):
    client, path = cast.client("instructor"), f"/c/{cast.course.key}/assignments/wizard"
    page = client.post(path, {**sent(client.get(path)), "title": "Essay"})
    given = {**sent(page), "due_at": "2030-01-02T03:04", "reviews_due_at": "2029-01-02T03:04"}

    page = client.post(path, {**given, "late_until": "", "release_at": "", "step": "5"})

    assert texts(page, "h2") == ["Dates"]
    assert texts(page, ".notice")[0].startswith("The review due date must be after")


def test_rule_for_points_is_asked_with_a_new_assignment(cast):
    """A curve that is outside its scale is refused where it is typed, and nothing typed is lost."""
    client, path = cast.client("instructor"), f"/c/{cast.course.key}/assignments/new"
    filled = {**sent(client.get(path)), "title": "Essay", "points_rule": "curve", "curve_mean": "110"}

    refused = client.post(path, filled)
    sketch = client.get(f"/c/{cast.course.key}/assignments/curve", {**filled, "curve_mean": "80"})
    said = client.get(f"/c/{cast.course.key}/assignments/curve", filled)
    other = client.get(f"/c/{cast.course.key}/assignments/curve", {**filled, "points_rule": "staff"})
    made = client.post(path, {**filled, "curve_mean": "80"})

    assert refused.status_code == 422
    assert [one for one in texts(refused, ".errorlist") if "is outside the scale from 0 to 100" in one] != []
    assert 'value="110"' in refused.content.decode()
    assert made.status_code == 302
    plan = Assignment.objects.get(title="Essay").grading_plan
    assert (plan.points_rule, plan.curve_mean, plan.curve_sd) == ("curve", 80, 10)
    assert "(mean 80)" in sketch.content.decode()
    assert "is outside the scale from 0 to 100" in said.content.decode()
    assert "svg" not in other.content.decode()


def test_assignment_is_published_as_it_is_made_unless_something_is_in_the_way(cast):
    client, path = cast.client("instructor"), f"/c/{cast.course.key}/assignments/new"
    filled = {**sent(client.get(path)), "publish": "yes", "reviews_per_student": "2"}

    client.post(path, {**filled, "title": "Essay"})
    too_many = client.post(path, {**filled, "title": "Riddle", "reviews_per_student": "40"}, follow=True)

    assert Assignment.objects.get(title="Essay").phase == "submitting"
    assert Assignment.objects.get(title="Riddle").phase == "setup"
    assert "40" in texts(too_many, ".messages")[0]

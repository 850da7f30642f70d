"""Every kind of report against the rules of pages, whatever the class looks like."""

import pytest
import report_cases as cases
from hypothesis import given, settings
from page_rules import broken_rules, contrast, parse, themes

from peerage import Feedback, grade
from peerage.report import report_html, write_figures
from peerage.report.page import _style
from strategies import ANY_LABELS, feedbacks

TEXT_PAIRS = [
    ("ink", "paper"), ("ink", "sheet"), ("ink", "band-a"), ("ink", "band-b"), ("ink", "accent-soft"),
    ("muted", "paper"), ("muted", "sheet"), ("muted", "band-a"), ("accent", "paper"), ("accent", "sheet"),
    ("warn-ink", "warn-paper"), ("note-ink", "note-paper"), ("warn-ink", "sheet"),
]  # fmt: skip
SHAPE_PAIRS = [
    ("mark", "band-a"), ("mark", "band-b"), ("whisker", "band-a"), ("whisker", "sheet"),
    ("accent", "band-a"), ("muted", "sheet"),
]  # fmt: skip


def rules_broken_by(result):
    """By every page of a class: of all, without names, of a grader and of whose item it is."""
    students = result.feedback.grader_labels[0], result.feedback.item_labels[0]
    views = [{}, {"anonymous": True}, *({"student": student} for student in students)]
    return {str(view): broken for view in views if (broken := broken_rules(report_html(result, **view)))}


@pytest.mark.parametrize("case", cases.ALL)
def test_a_report_breaks_no_rule(case):
    assert rules_broken_by(case()) == {}


@settings(max_examples=10)
@given(feedbacks(labels=ANY_LABELS, kinds=("rank",)))
def test_every_class_has_a_report_that_breaks_no_rule(feedback):
    assert rules_broken_by(grade(feedback, method="bt")) == {}


@pytest.mark.parametrize("orders", [[("ada", ["x"])], [("ada", ["x", "y"])], [("ada", [{"x", "y"}])]])
def test_the_smallest_classes_have_reports_and_figures(orders, tmp_path):
    result = grade(Feedback.from_orders(orders), method="pl+g", letters="A:50%,B:50%")

    assert rules_broken_by(result) == {}
    assert len(write_figures(result, tmp_path)) == 6


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("pairs", "least"), [(TEXT_PAIRS, 4.5), (SHAPE_PAIRS, 3.0)], ids=["text", "shapes"])
def test_text_and_shapes_stand_out(theme, pairs, least):
    colours = themes(_style())[theme]

    assert [pair for pair in pairs if contrast(colours[pair[0]], colours[pair[1]]) < least] == []


def test_flags_differ_without_colour():
    page = parse(report_html(cases.large()))
    cells = {row.all("td")[0].content for row in page.all("tr") if row.all("td")}
    flags = {cell for cell in cells if cell[:1] in "▼✕=○●"}

    assert len({flag[0] for flag in flags}) == len({flag[2:] for flag in flags})


GOOD = (
    '<html lang="en"><title>t</title><meta name="viewport" content="width=device-width">'
    '<meta name="robots" content="noindex, nofollow"><a class="skip" href="#main">s</a>'
    '<header><h1>t</h1></header><main id="main">{}</main><footer></footer></html>'
)
BROKEN = {
    "<h3>x</h3>": "heading h3 follows h1",
    '<p id="main"></p>': "id 'main' twice",
    "<svg></svg>": "svg without a name",
    "<section></section>": "section without a name",
    '<g role="img"></g>': "g of role img without a name",
    '<a href="#n">x</a>': "a points to missing id 'n'",
    '<a href="https://example.org">x</a>': "a loads 'https://example.org'",
    '<input name="x">': "input 'x' without label",
    "<button></button>": "button without text",
    '<p onclick="x"></p>': "p has onclick",
    '<p tabindex="3"></p>': "tabindex above 0",
    "<style>p { background: url(x) }</style>": "style loads something",
    "<table><tbody><tr><td>x</td></tr></tbody></table>": "table without caption",
    "<table><caption>c</caption><tbody><tr><td>x</td></tr></tbody></table>": "row without a header",
}


def test_the_rules_find_what_breaks_them():
    for served in (False, True):
        assert broken_rules(GOOD.format(""), served=served) == []
    found = {part: broken_rules(GOOD.format(part)) for part in BROKEN}
    assert [part for part, problem in BROKEN.items() if problem not in found[part]] == []
    served = broken_rules(GOOD.format('<a href="//x.org">x</a><script>x</script>'), served=True)
    assert served == ["a leads elsewhere: //x.org", "script element with content"]
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)

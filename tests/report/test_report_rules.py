"""The page rules themselves, and every kind of report against them."""

import pytest
import report_cases as cases
from page_rules import broken_rules, contrast, parse, themes

from peerage.report import report_html
from peerage.report.page import _style

TEXT_PAIRS = [
    ("ink", "paper"), ("ink", "sheet"), ("ink", "band-a"), ("ink", "band-b"), ("ink", "accent-soft"),
    ("muted", "paper"), ("muted", "sheet"), ("muted", "band-a"), ("accent", "paper"), ("accent", "sheet"),
    ("warn-ink", "warn-paper"), ("note-ink", "note-paper"), ("warn-ink", "sheet"),
]  # fmt: skip
SHAPE_PAIRS = [
    ("mark", "band-a"), ("mark", "band-b"), ("whisker", "band-a"), ("whisker", "sheet"),
    ("accent", "band-a"), ("muted", "sheet"),
]  # fmt: skip


@pytest.mark.parametrize("case", cases.ALL)
@pytest.mark.parametrize("anonymous", [False, True])
def test_a_report_breaks_no_rule(case, anonymous):
    assert broken_rules(report_html(case(), anonymous=anonymous)) == []


@pytest.mark.parametrize("student", ["peer003", "work003"])
@pytest.mark.parametrize("case", [cases.plain, cases.lettered, cases.several, cases.rankings])
def test_a_students_page_breaks_no_rule(case, student):
    assert broken_rules(report_html(case(), student=student)) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("pairs", "least"), [(TEXT_PAIRS, 4.5), (SHAPE_PAIRS, 3.0)], ids=["text", "shapes"])
def test_text_and_shapes_stand_out(theme, pairs, least):
    colours = themes(_style())[theme]

    assert [pair for pair in pairs if contrast(colours[pair[0]], colours[pair[1]]) < least] == []


def test_the_dark_theme_changes_every_colour_and_is_not_printed():
    css = _style()
    light, dark = themes(css).values()

    assert [name for name in light if light[name] == dark[name]] == []
    assert "@media screen and (prefers-color-scheme: dark)" in css


def test_flags_differ_without_colour():
    page = parse(report_html(cases.large()))
    cells = {row.all("td")[0].content for row in page.all("tr") if row.all("td")}
    flags = {cell for cell in cells if cell[:1] in "▼✕=○●"}

    assert len({flag[0] for flag in flags}) == len({flag[2:] for flag in flags})


def test_contrast_of_black_and_white_is_21():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


GOOD = (
    '<html lang="en"><title>t</title><meta name="viewport"><a class="skip" href="#m">s</a>'
    '<header><h1>t</h1></header><main id="m">{}</main><footer></footer></html>'
)


def test_a_good_page_passes():
    assert broken_rules(GOOD.format("")) == []


@pytest.mark.parametrize(
    ("part", "problem"),
    [
        ("<h3>x</h3>", "heading h3 follows h1"),
        ('<p id="m"></p>', "id 'm' twice"),
        ("<svg></svg>", "svg without a name"),
        ("<section></section>", "section without a name"),
        ('<a href="#n">x</a>', "a points to missing id 'n'"),
        ('<a href="https://example.org">x</a>', "a loads 'https://example.org'"),
        ("<input>", "input without label"),
        ('<p onclick="x"></p>', "p has onclick"),
        ('<p tabindex="3"></p>', "tabindex above 0"),
        ("<style>p { background: url(x) }</style>", "style loads something"),
        ("<table><tbody><tr><td>x</td></tr></tbody></table>", "table without caption"),
        ('<g role="img"></g>', "g of role img without a name"),
    ],
)
def test_a_broken_rule_is_found(part, problem):
    assert problem in broken_rules(GOOD.format(part))

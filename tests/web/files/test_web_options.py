"""The options of the service are the library's: none is stated a second time."""

import json
import re
from typing import get_args

import pytest

from peerage.grading.options import GradingOptions
from peerage.grading.output.books import BookOptions
from peerage.reading.formats import FORMATS, LAYOUTS
from peerage.reading.reader import read
from peerage.reading.reading import Reading
from peerage.reading.vocabulary import SYNONYMS
from peerage_web.classes.grading.queries import OWN_TABLE
from peerage_web.files import forms
from peerage_web.files.api.options import ROLES, Format, GradeFields, options_of
from peerage_web.files.readings import reading_from_text
from peerage_web.sandbox.contract.jobs import COLUMN_LABELS, FIELD_LABELS, JobOptions, reading_to_dict

WHOLE = Reading(
    format="long",
    columns={"item": "paper", "rank": ""},
    ignore=("E-mail, private",),
    direction="lower-is-better",
    empty=("0", "99"),
    fill_down=True,
    header="none",
    skip_rows=2,
    ids="fold",
    question="Quality",
    duplicates="first",
    criteria={"clarity": 2.0, "method": 1.0},
)


def test_the_service_has_the_options_of_the_command_line():
    stated = {*GradingOptions.table(), *BookOptions.table(), "reading"}

    assert set(JobOptions.table()) == stated


def test_options_survive_the_database():
    options = JobOptions(reading=WHOLE, compare=("bt",), scale="0:10", title="Poster")

    assert JobOptions.from_dict(json.loads(json.dumps(options.to_dict()))) == options


def test_a_reading_is_understood_as_json_and_as_toml():
    assert reading_from_text(json.dumps(reading_to_dict(WHOLE))) == WHOLE
    assert reading_from_text(WHOLE.to_toml()) == WHOLE


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nonsense", "must be a JSON object, or the text of a reading.toml"),
        ("[1, 2]", "must be a JSON object, or the text of a reading.toml"),
        ("{" * 100_000, "must be a JSON object, or the text of a reading.toml"),
        ('{"scale": "0:10"}', "has no field 'scale'; there are format, columns,"),
        ('{"ignore": "Email"}', "must have a list of texts in 'ignore'"),
        ('{"columns": {"item": 1}}', "must have texts by name in 'columns'"),
        ('{"criteria": {"clarity": NaN}}', "must have weights by name in 'criteria'"),
        ('{"skip_rows": true}', "must have a whole number from 0 to 1000 in 'skip_rows'"),
        ('{"direction": "up"}', "cannot be used: direction='up' is not known"),
        ('direction = "up"', "cannot be used: direction='up' is not known"),
    ],
)
def test_what_is_no_reading_is_refused_and_says_why(text, why):
    with pytest.raises(ValueError, match=f"^{re.escape(why)}"):
        reading_from_text(text)


def test_every_field_of_the_api_is_an_option_with_its_default():
    assert options_of(GradeFields()) == JobOptions()
    assert set(GradeFields.model_fields) - {"column"} <= {*JobOptions.table(), *Reading.table()}
    assert set(Reading.table()) <= set(GradeFields.model_fields)
    assert (set(ROLES), set(get_args(Format))) == (set(SYNONYMS), set(FORMATS))
    named = options_of(GradeFields(columns='{"grader": "who"}', column=["item = paper"]))
    assert named.reading.columns == {"grader": "who", "item": "paper"}


def test_fields_of_the_api_win_over_the_reading_beside_them():
    asked = GradeFields(
        reading=WHOLE.to_toml(), direction="scores", column=["grader=who"], fill_down=False, ignore=["Age"]
    )

    reading = options_of(asked).reading

    assert (reading.direction, reading.fill_down, reading.ignore) == ("scores", False, ("Age",))
    assert reading.columns == {"item": "paper", "rank": "", "grader": "who"}
    assert (reading.format, reading.empty, reading.skip_rows) == ("long", ("0", "99"), 2)


def test_every_field_of_the_forms_is_an_option_or_a_file():
    files = {"anchors", "anchors_gone", "roster", "roster_gone"}

    assert set(forms.GradingForm.base_fields) - files <= set(JobOptions.table())
    assert set(forms.ReadingForm.base_fields) <= set(Reading.table())
    assert {f"column_{role}" for role in COLUMN_LABELS} <= set(forms.ReadingForm().fields)


def test_the_forms_have_words_for_every_choice():
    table = Reading.table()
    fields = forms.ReadingForm().fields
    for name in ("duplicates", "missing", "ids", "header", "direction"):
        assert {value for value, _ in fields[name].choices} == set(table[name].choices)

    assert [value for value, _ in forms.LAYOUTS] == ["auto", *LAYOUTS]
    assert set(table) - {"encoding", "skip_rows"} <= set(FIELD_LABELS)


def test_the_form_gives_back_the_reading_it_shows():
    inspection = {
        "sheets": ["one", "two"],
        "questions": ["Quality", "Clarity"],
        "required": ["grader", "item"],
        "optional": ["rank"],
        "header": ["who", "paper", "E-mail, private"],
        "columns": {"grader": "who", "item": "paper"},
        "layout": "long",
        "delimiter": ",",
    }
    form = forms.ReadingForm.from_reading(WHOLE, inspection, is_read=True)
    sent = forms.ReadingForm({field.html_name: field.value() or "" for field in form})
    odd = forms.ReadingForm({"criteria": "clarity=x"})
    assert sent.is_valid()
    assert odd.is_valid()

    assert (" ", "none") in form.fields["column_rank"].widget.choices  # to refuse what was found
    assert sent.reading(WHOLE) == WHOLE
    assert sent.reading(Reading()) == Reading(
        **{
            **{name: getattr(WHOLE, name) for name in Reading.table()},
            "columns": {},
            "ignore": (),
            "question": None,  # what was said of the columns of another layout is forgotten
            "skip_rows": 0,
        }
    )
    assert odd.reading(Reading()).criteria == {"clarity=x": 0.0}  # and the library says what is wrong with it


def test_a_class_is_not_asked_about_the_table_it_writes_itself():
    """Whatever people and teams are called, and however often they are tied."""
    rows = "Max,Total,1\nMax,99,1\nMean,Total,1\nMean,Average,1\nMean,99,1\n"

    feedback = read(f"grader,item,rank\n{rows}".encode(), reading=OWN_TABLE)

    assert (feedback.n_items, feedback.n_graders, feedback.n_entries) == (3, 2, 5)
    assert (feedback.reading, feedback.direction.measure) == (OWN_TABLE, "ranks")

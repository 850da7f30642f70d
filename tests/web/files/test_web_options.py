"""The options of the service are the library's: none is stated a second time."""

import json

from peerage.grading.options import GradingOptions
from peerage.grading.output.books import BookOptions
from peerage.reading.formats import LAYOUTS
from peerage.reading.options import ReadingOptions
from peerage_web.files import forms
from peerage_web.files.api.options import GradeFields, options_of
from peerage_web.sandbox.contract.jobs import JobOptions


def test_the_service_has_the_options_of_the_command_line():
    stated = (ReadingOptions, GradingOptions, BookOptions)

    assert set(JobOptions.table()) == {name for kind in stated for name in kind.table()}


def test_options_survive_the_database():
    options = JobOptions(columns={"item": "paper"}, compare=("bt",), scale="0:10", title="Poster")

    assert JobOptions.from_dict(json.loads(json.dumps(options.to_dict()))) == options


def test_every_field_of_the_api_is_an_option_with_its_default():
    assert options_of(GradeFields()) == JobOptions()
    assert set(GradeFields.model_fields) - {"column"} <= set(JobOptions.table())


def test_every_field_of_the_forms_is_an_option_or_a_file():
    files = {"anchors", "anchors_gone", "roster", "roster_gone"}

    assert set(forms.GradingForm.base_fields) - files <= set(JobOptions.table())


def test_the_forms_have_words_for_every_choice():
    table = ReadingOptions.table()

    assert [value for value, _ in forms.DUPLICATES] == list(table["duplicates"].choices)
    assert [value for value, _ in forms.MISSING] == list(table["missing"].choices)
    assert [value for value, _ in forms.LAYOUTS] == ["auto", *LAYOUTS]

import doctest
from pathlib import Path

from peerage import metrics

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"


def test_examples_of_the_page_run():
    result = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")

    assert result.attempted > 0
    assert result.failed == 0


def test_the_page_explains_every_function():
    text = PAGE.read_text(encoding="utf-8")

    assert [name for name in metrics.__all__ if name[0].islower() and f"`{name}" not in text] == []

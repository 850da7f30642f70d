from pathlib import Path

from peerage import metrics

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "metrics.md"


def test_the_page_explains_every_function():
    text = PAGE.read_text(encoding="utf-8")

    assert [name for name in metrics.__all__ if name[0].islower() and f"`{name}" not in text] == []

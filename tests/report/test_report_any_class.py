"""Whatever the class looks like, it has a report."""

import pytest
from hypothesis import given, settings
from page_rules import broken_rules

from peerage import Feedback, grade
from peerage.report import report_html, write_figures
from strategies import ANY_LABELS, feedbacks


@settings(max_examples=10)
@given(feedbacks(labels=ANY_LABELS, kinds=("rank",)))
def test_every_class_has_a_report_that_breaks_no_rule(feedback):
    result = grade(feedback, method="bt")

    assert broken_rules(report_html(result)) == []
    assert broken_rules(report_html(result, student=feedback.grader_labels[0])) == []


@pytest.mark.parametrize("orders", [[("ada", ["x"])], [("ada", ["x", "y"])], [("ada", [{"x", "y"}])]])
def test_the_smallest_classes_have_reports_and_figures(orders, tmp_path):
    result = grade(Feedback.from_orders(orders), method="pl+g", letters="A:50%,B:50%")

    assert broken_rules(report_html(result)) == []
    assert len(write_figures(result, tmp_path)) == 6

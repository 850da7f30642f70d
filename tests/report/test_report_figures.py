from xml.etree import ElementTree

import matplotlib as mpl
import pytest
import report_cases as cases

from peerage import Feedback, grade
from peerage.report import write_figures


@pytest.mark.parametrize("case", [cases.lettered, cases.large])
def test_figures_are_the_same_bytes_whatever_the_settings_which_stay_and_name_no_grader(case, tmp_path):
    one = write_figures(case(), tmp_path / "one")
    with mpl.rc_context({"font.size": 20, "svg.hashsalt": "other"}):
        other = write_figures(case(), tmp_path / "other")
        assert mpl.rcParams["font.size"] == 20

    stems = ("class", "comparisons", "graders")
    assert [path.name for path in one] == [f"{stem}.{kind}" for stem in stems for kind in ("svg", "png")]
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in other]
    texts = [path.read_text("utf-8") for path in one if path.suffix == ".svg"]
    assert [text for text in texts if "<dc:date>" in text or "peer0" in text] == []


def test_labels_of_any_script_give_well_formed_figures(tmp_path):
    names = ["\x07$a_b$", "作品一", "مشروع", "🦉 <b>", "two\nlines", "plain"]
    result = grade(Feedback.from_orders([("ada", names), ("bob", names)]), method="bt")

    paths = write_figures(result, tmp_path)

    texts = ["".join(ElementTree.parse(p).getroot().itertext()) for p in paths if p.suffix == ".svg"]
    assert [name for name in ("\ufffd$a_b$", "作品一", "🦉 <b>", "two lines") if name not in texts[0]] == []

"""Write the tables of experiments/real/README.md from its CSV: python experiments/tables.py"""

from pathlib import Path

from peerage.experiments.data import REAL_CLASS, REAL_FULL
from peerage.experiments.results import read
from peerage.experiments.tables import differences, overall_table, sets_by_methods

HERE = Path(__file__).parent
MAIN = ("default", "default-orders", "BT+G", "PL+G", "THUR+G", "MALS+G", "BT", "PL", "MALBC", "MAL", "MAL+G")
MORE = ("default", "NCS", "NCS+G", "SCAVG", "MALBC+G", "MAL+K+G", "choix-PL", "evalica-BT")
RIVALS = ("MALBC", "SCAVG", "BT+G", "PL+G", "NCS+G", "MAL+G", "choix-PL")


def main() -> None:
    frame = read(HERE / "real" / "accuracy.csv")
    tables = {
        "overall": overall_table(frame),
        "overall-class": overall_table(frame, only=REAL_CLASS),
        "overall-full": overall_table(frame, only=REAL_FULL),
        "sets": sets_by_methods(frame, MAIN),
        "sets-more": sets_by_methods(frame, MORE),
        "differences": differences(frame, "default", RIVALS),
        "priors": overall_table(read(HERE / "real" / "priors" / "accuracy.csv"), only=REAL_CLASS).replace(
            "score_variance=3;reliability_shape=5;reliability_rate=5", "tuned"
        ),
    }
    for page in (HERE / "real" / "README.md", HERE.parent / "docs" / "decisions" / "default-method.md"):
        text = page.read_text()
        for name, table in tables.items():
            text = _put(text, name, table)
        page.write_text(text)


def _put(text: str, name: str, table: str) -> str:
    """The text with what stands between the marks of a table replaced, where it has them."""
    start, end = f"<!-- {name} -->\n", f"\n<!-- /{name} -->"
    if start not in text:
        return text
    before, _, rest = text.partition(start)
    return before + start + table + end + rest.partition(end)[2]


if __name__ == "__main__":
    main()

"""Write the tables of experiments/real/README.md from its CSV: python -m experiments.tables"""

from pathlib import Path

from experiments.paper.data import REAL_CLASS, REAL_FULL
from experiments.paper.runner import read_results
from experiments.paper.summary import differences, overall_table, sets_by_methods

HERE = Path(__file__).parent
MAIN = ("default", "default-orders", "BT+G", "PL+G", "THUR+G", "MALS+G", "BT", "PL", "MALBC", "MAL", "MAL+G")
MORE = ("default", "NCS", "NCS+G", "SCAVG", "MALBC+G", "MAL+K+G", "choix-PL", "evalica-BT")
RIVALS = ("MALBC", "SCAVG", "BT+G", "PL+G", "NCS+G", "MAL+G", "choix-PL")


PAGES = (
    HERE / "real" / "README.md",
    HERE.parent / "docs" / "explanation" / "decisions" / "default-method.md",
)


def tables() -> dict[str, str]:
    frame = read_results(HERE / "real" / "accuracy.csv")
    return {
        "overall": overall_table(frame),
        "overall-class": overall_table(frame, only=REAL_CLASS),
        "overall-full": overall_table(frame, only=REAL_FULL),
        "sets": sets_by_methods(frame, MAIN),
        "sets-more": sets_by_methods(frame, MORE),
        "crowdkit": overall_table(read_results(HERE / "real" / "crowdkit" / "accuracy.csv")),
        "differences": differences(frame, "default", RIVALS),
        "priors": overall_table(
            read_results(HERE / "real" / "priors" / "accuracy.csv"), only=REAL_CLASS
        ).replace("score_variance=3;reliability_shape=5;reliability_rate=5", "tuned"),
    }


def main() -> None:
    for page in PAGES:
        text = page.read_text()
        for name, table in tables().items():
            text = put(text, name, table)
        page.write_text(text)


def put(text: str, name: str, table: str) -> str:
    """The text with what stands between the marks of a table replaced, where it has them."""
    start, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    if start not in text:
        return text
    before, _, rest = text.partition(start)
    _, closed, after = rest.partition(end)
    if not closed:
        raise ValueError(f"there is a mark {start} but no {end}")
    return f"{before}{start}\n{table}\n{end}{after}"


if __name__ == "__main__":
    main()

"""Ranks and scores of one file that contradict each other."""

from __future__ import annotations

from peerage import check, read


def rows(*graders: tuple[str, tuple[int, ...], tuple[float, ...]]) -> bytes:
    lines = ["grader,item,rank,score"]
    for name, ranks, scores in graders:
        lines += [
            f"{name},{item},{rank},{score}" for item, rank, score in zip("xyz", ranks, scores, strict=True)
        ]
    return "\n".join(lines).encode()


def test_a_file_whose_scores_run_the_other_way_is_a_warning():
    text = rows(("a", (1, 2, 3), (1, 4, 9)), ("b", (2, 1, 3), (3, 2, 7)), ("c", (1, 2, 3), (5, 5, 5)))

    finding = check(read(text)).finding("ranks-against-scores")

    assert finding.severity == "warning"
    assert finding.found == "2 lists of 2 have ranks and scores that contradict each other."
    assert finding.cases["grader"].to_list() == ["a", "b"]
    assert "upside down" in finding.means
    agreed = rows(("a", (1, 2, 3), (9, 8, 3)), ("b", (2, 1, 3), (7, 9, 7)))
    assert check(read(agreed)).finding("ranks-against-scores") is None


def test_one_grader_of_many_is_a_remark():
    right = [(f"g{which}", (1, 2, 3), (9, 8, 3)) for which in range(9)]

    finding = check(read(rows(*right, ("b", (2, 1, 3), (3, 2, 7))))).finding("ranks-against-scores")

    assert (finding.severity, finding.examples()) == ("info", ["b"])


def test_the_preflight_says_which_way_numbers_were_read():
    found = check(read(b"grader,item,rank\na,x,1\na,y,2\n")).to_dict()

    assert found["direction"] == {
        "measure": "ranks",
        "best": "low",
        "why": "'rank' is the name of ranks",
        "by": "names",
        "sentence": "1 is read as best",
    }

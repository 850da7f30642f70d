"""What the command line says and asks about the direction of numbers."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from peerage.cli import app

RANKS_CALLED_SCORE = "grader,item,score\na,x,1\na,y,2\na,z,3\nb,x,1\nb,y,3\nb,z,2\nc,x,2\nc,y,1\nc,z,3\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "reviews.csv"
    path.write_text(RANKS_CALLED_SCORE)
    return path


def run(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "300"})
    return done.exit_code, done.output


@pytest.mark.parametrize(
    ("options", "best", "sentence"),
    [
        (["--direction", "ranks"], "x", "1 is read as best: you said so"),
        (["--direction", "scores"], "z", "larger numbers are read as better: you said so"),
        (["--direction", "lower-is-better"], "x", "lower numbers are read as better: you said so"),
        (["--direction", "worst-first"], "z", "1 is read as worst: you said so"),
    ],
)
def test_it_is_printed_and_kept(file, tmp_path, options, best, sentence):
    code, said = run("grade", file, *options, "--out", tmp_path / "out")

    made = json.loads((tmp_path / "out" / "run.json").read_text())
    result = json.loads((tmp_path / "out" / "results.json").read_text())
    report = (tmp_path / "out" / "report.html").read_text()
    assert code == 0
    assert sentence[1:] in said
    assert f"{made['direction']['sentence']}: {made['direction']['why']}" == sentence
    assert result["provenance"]["direction"] == result["preflight"]["direction"] == made["direction"]
    assert sentence[1:] in report
    assert result["items"][0]["item"] == best

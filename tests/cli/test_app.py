import os
import signal
import subprocess
import sys

import pytest
from tests.cli.commands import run
from tests.cli.terminals import PEERAGE

from peerage import DataError, PeerageError, Problem, __version__
from peerage.cli import COMMANDS
from peerage.cli import _terminal as common


def test_help_names_every_command_and_is_shown_without_arguments():
    result = run("--help")

    assert result.exit_code == 0
    assert all(command in result.output for command in COMMANDS)
    assert "Usage: peerage" in run().output


@pytest.mark.parametrize("args", ["graed", "check", "check x --min-reviews no"])
def test_wrong_usage_is_exit_code_2(args):
    result = run(*args.split())

    assert result.exit_code == 2
    assert "Traceback" not in result.output
    assert args != "graed" or "Did you mean 'grade'?" in result.output


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (PeerageError("no such thing"), "Error: no such thing\n"),
        (FileNotFoundError(2, "No such file", "a.csv"), "Error: a.csv: no such file\n"),
        (PermissionError(13, "Permission denied", "a.csv"), "Error: a.csv: permission denied\n"),
        (MemoryError(), "Error: this needs more memory than the machine has free\n"),
        (
            DataError([Problem("it is empty", line=line) for line in (3, 5)], source="a.csv"),
            "Error: a.csv: 2 problems\n  line 3: it is empty\n  line 5: it is empty\n",
        ),
        (KeyboardInterrupt(), "Stopped.\n"),
    ],
)
def test_foreseeable_errors_are_one_message_and_exit_code_2(error, message, capsys):
    with pytest.raises(common.typer.Exit) as stopped, common.clean_errors():
        raise error

    assert stopped.value.exit_code == (130 if message == "Stopped.\n" else 2)
    assert capsys.readouterr().err == message


def test_a_bug_keeps_its_traceback():
    with pytest.raises(ZeroDivisionError), common.clean_errors():
        raise ZeroDivisionError


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_while_waiting_for_standard_input_is_exit_code_130():
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = subprocess.Popen([*PEERAGE, "check", "-"], **pipes)
    process.stdin.write(b"grader,item,score\n" * 100_000)  # returns once the other side reads
    process.stdin.flush()
    process.send_signal(signal.SIGINT)

    _, errors = process.communicate()

    assert (process.returncode, errors) == (130, b"Stopped.\n")


def test_a_reader_that_goes_away_ends_it_quietly():
    read, write = os.pipe()
    os.close(read)

    with os.fdopen(write, "wb") as closed:
        args = [*PEERAGE, "simulate", "--out", "-"]
        result = subprocess.run(args, stdout=closed, stderr=subprocess.PIPE, text=True)

    assert (result.returncode, result.stderr) == (common.BROKEN_PIPE, "")


def test_the_script_completes_commands_and_the_module_is_the_same():
    asked = {"_PEERAGE_COMPLETE": "complete_bash", "COMP_WORDS": "peerage ch", "COMP_CWORD": "1"}
    script = [sys.executable, "-c", "from peerage.cli import main; main()"]

    completed = subprocess.run(script, capture_output=True, text=True, env={**os.environ, **asked})
    version = subprocess.run([*PEERAGE, "--version"], capture_output=True, text=True)

    assert completed.stdout.split() == ["check"]
    assert version.stdout == f"peerage {__version__}\n"

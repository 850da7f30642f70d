"""A real terminal to run commands in: what was shown, what was typed, and how it ended."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

PEERAGE = [sys.executable, "-m", "peerage"]
PROMPT = "to stop): "
LONGEST = 120  # seconds that a command may take on a busy machine


def in_terminal(*words, answers=(), typed=b""):
    """Run a command whose input and output are a terminal; answer every question in turn.

    ``typed`` is given at once, as a file typed by hand would be. Returns the exit code and the screen.
    """
    ours, theirs = pty.openpty()
    size = {"COLUMNS": "100", "LINES": "60", "TERM": "xterm", "NO_COLOR": "1"}
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), theirs)
    command = [*PEERAGE, *map(str, words)]
    process = subprocess.Popen(command, **streams, env={**os.environ, **size}, start_new_session=True)
    os.close(theirs)
    if typed:
        os.write(ours, typed)
    shown, waiting, asked = "", list(answers), 0
    until = time.monotonic() + LONGEST
    while time.monotonic() < until:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                data = os.read(ours, 65_536)
            except OSError:  # Linux says so when the other side has closed it
                break
            if not data:
                break
            shown += data.decode("utf-8", errors="replace")
        if waiting and shown.count(PROMPT) > asked:
            asked += 1
            answer = waiting.pop(0)
            if isinstance(answer, signal.Signals):  # as Ctrl-C would, were this the terminal of the session
                process.send_signal(answer)
            else:
                os.write(ours, answer.encode())
    os.close(ours)
    try:
        process.wait(LONGEST)
    finally:
        process.kill()
    return process.returncode, _screen(shown)


def _screen(shown):
    """What stands on the screen in the end: lines that were moved back to or erased are as they were left."""
    lines, row, column = [""], 0, 0
    for code, count, what, sign, text in re.findall(
        r"(\x1b\[([0-9;?]*)([a-zA-Z]))|([\r\n])|([^\x1b\r\n]+)", shown
    ):
        if what == "A":
            row = max(0, row - int(count or 1))
        elif what == "K":
            lines[row] = ""
        elif sign == "\r":
            column = 0
        elif sign:
            row += 1
            lines += [""] * (row == len(lines))
        elif not code:
            lines[row] = lines[row][:column].ljust(column) + text + lines[row][column + len(text) :]
            column += len(text)
    return "\n".join(line.rstrip() for line in lines)

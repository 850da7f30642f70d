"""Every format stands in one table, and its module offers what the table promises."""

import sys
from inspect import isfunction, signature
from types import ModuleType

from peerage import inspect, read
from peerage.reading import formats
from peerage.reading.formats import EXPORTS, FORMATS, LAYOUTS, LIST_FILES, TABLE_FILES

CONTRACTS = [
    *((entry, formats.LayoutReader) for entry in LAYOUTS.values()),
    *((entry, formats.ExportReader) for entry in EXPORTS.values()),
    *((entry, formats.TableReader) for entry in TABLE_FILES.values()),
    *((entry, formats.ListReader) for entry in LIST_FILES.values()),
]


def test_modules_offer_what_their_kind_of_format_calls_for():
    for entry, contract in CONTRACTS:
        for name, value in vars(contract).items():
            if isfunction(value) and not name.startswith("_"):
                offered = signature(getattr(entry.reader, name)).parameters
                assert list(offered) == list(signature(value).parameters)[1:], (entry.name, name)


def test_names_are_there_once():
    assert len(set(FORMATS)) == len(FORMATS) == 1 + len(LAYOUTS) + len(TABLE_FILES) + len(LIST_FILES)


def test_a_new_format_is_a_module_and_an_entry(monkeypatch):
    module = ModuleType("peerage.reading.shouted")
    source = (
        "from peerage.feedback.container import Feedback\n"
        "def suits(head): return head.startswith('SHOUTED')\n"
        "def read_feedback(data, *, source, encoding, duplicates, missing):\n"
        "    lines = data.decode().splitlines()[1:]\n"
        "    return Feedback.from_orders([(line.split()[0], line.split()[1:]) for line in lines])\n"
    )
    exec(source, vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    entry = formats.ListFile("shouted", "a shouted file", "shouted", (".shout",))
    monkeypatch.setitem(LIST_FILES, entry.name, entry)

    data = b"SHOUTED\nADA X Y\nBOB Y X\n"

    assert list(read(data).orders()) == [("ADA", [["X"], ["Y"]]), ("BOB", [["Y"], ["X"]])]
    assert (inspect(data).kind, inspect(data).rows[1]) == ("shouted", ("ADA X Y",))

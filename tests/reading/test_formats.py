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
        "from peerage.feedback.cells import Origin\n"
        "from peerage.feedback.choices import Direction\n"
        "from peerage.reading.table import ParsedReviews\n"
        "def suits(head): return head.startswith('SHOUTED')\n"
        "def read_reviews(data, *, source, reading):\n"
        "    lines = [line.split() for line in data.decode().splitlines()[1:]]\n"
        "    rows = [(name, item, rank) for name, *items in lines for rank, item in enumerate(items, 1)]\n"
        "    columns = dict(zip(('grader', 'item', 'rank'), map(list, zip(*rows))))\n"
        "    best = Direction('orders', 'first', 'it is shouted so', 'format')\n"
        "    return ParsedReviews(columns, Origin(), (), direction=best)\n"
    )
    exec(source, vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    entry = formats.Format("shouted", "a shouted file", "shouted", endings=(".shout",))
    monkeypatch.setitem(LIST_FILES, entry.name, entry)

    data = b"SHOUTED\nADA X Y\nBOB Y X\n"

    assert list(read(data).orders()) == [("ADA", [["X"], ["Y"]]), ("BOB", [["Y"], ["X"]])]
    assert (inspect(data).kind, inspect(data).rows[1]) == ("shouted", ("ADA X Y",))

"""Every format stands in one table, and its module offers what the table promises."""

import inspect
import sys
from types import ModuleType

from peerage import look_at, read
from peerage.reading import formats
from peerage.reading.formats import FORMATS, LAYOUTS, LIST_FILES, SOURCES, TABLE_FILES

CONTRACTS = [
    *((one, formats.LayoutReader) for one in LAYOUTS.values()),
    *((one, formats.SourceReader) for one in SOURCES.values()),
    *((one, formats.TableReader) for one in TABLE_FILES.values()),
    *((one, formats.ListReader) for one in LIST_FILES.values()),
]


def test_modules_offer_what_their_kind_of_format_calls_for():
    for one, contract in CONTRACTS:
        for name, value in vars(contract).items():
            if inspect.isfunction(value) and not name.startswith("_"):
                offered = inspect.signature(getattr(one.reader, name)).parameters
                assert list(offered) == list(inspect.signature(value).parameters)[1:], (one.name, name)


def test_names_are_there_once():
    assert len(set(FORMATS)) == len(FORMATS) == 1 + len(LAYOUTS) + len(TABLE_FILES) + len(LIST_FILES)


def test_a_new_format_is_a_module_and_an_entry(monkeypatch):
    module = ModuleType("peerage.reading.shouted")
    source = (
        "from peerage.feedback.container import Feedback\n"
        "def suits(head): return head.startswith('SHOUTED')\n"
        "def feedback_from(data, *, source, encoding, duplicates, missing):\n"
        "    lines = data.decode().splitlines()[1:]\n"
        "    return Feedback.from_orders([(line.split()[0], line.split()[1:]) for line in lines])\n"
    )
    exec(source, vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    entry = formats.ListFile("shouted", "a shouted file", "shouted", (".shout",))
    monkeypatch.setitem(LIST_FILES, entry.name, entry)

    data = b"SHOUTED\nADA X Y\nBOB Y X\n"

    assert list(read(data).orders()) == [("ADA", [["X"], ["Y"]]), ("BOB", [["Y"], ["X"]])]
    assert (look_at(data).kind, look_at(data).rows[1]) == ("shouted", ("ADA X Y",))

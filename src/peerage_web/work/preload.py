"""Imported once by the server process from which sandboxed children come."""

import peerage.checking
import peerage.grading.run
import peerage.reading
import peerage.report.page  # noqa: F401

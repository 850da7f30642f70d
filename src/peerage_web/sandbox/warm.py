"""Imported once by the server process from which sandboxed children come: what they all need.

Imported, not used: Polars starts its threads with its first piece of work, and threads do not survive a fork.
"""
# ruff: noqa: F401

import fastexcel

import peerage.checking
import peerage.grading.explanation
import peerage.grading.output.export
import peerage.grading.output.files
import peerage.grading.run
import peerage.models.combined.combined
import peerage.models.normal.normal_scores
import peerage.models.smooth.bradley_terry
import peerage.models.smooth.plackett_luce
import peerage.reading.inspection
import peerage.report.page
import peerage.uncertainty
import peerage_web.sandbox.child

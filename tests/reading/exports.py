"""Files as forms, surveys and learning platforms export them: those of the battery, by name."""

from __future__ import annotations

from tests.reading.battery.catalogue import families


def _file(family: str, name: str) -> bytes:
    return next(case.data for case in families()[family] if case.name == name)


def google_grid_of_ranks() -> bytes:
    return _file("platforms", "Google grid 0 Rank the posters you saw [{}]")


def google_best_second_third() -> bytes:
    return _file("platforms", "Google best first")


def microsoft_ranking() -> bytes:
    return _file("platforms", "Microsoft Rank the posters, best on top")


def qualtrics_rank_order() -> bytes:
    return _file("platforms", "Qualtrics rank order")


def limesurvey_ranking() -> bytes:
    return _file("platforms", "LimeSurvey ranking")


def moodle_workshop() -> bytes:
    return _file("platforms", "Moodle Workshop")


def canvas_peer_reviews() -> bytes:
    return _file("platforms", "Canvas peer reviews")


def cmt_reviews() -> bytes:
    return _file("platforms", "CMT reviews")


def hotcrp_reviews() -> bytes:
    return _file("platforms", "HotCRP reviews")


def chains_in_cells() -> bytes:
    return _file("ballots", "ballot > Reviewer|My ranking")


def chains_in_lines() -> bytes:
    return _file("texts", "lines with graders")


def matrix_under_titles() -> bytes:
    return _file("matrices", "matrix under titles")

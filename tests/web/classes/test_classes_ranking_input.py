"""The two ways in which an order and comments arrive are one: the form, and the script's JSON."""

import json

import pytest

from peerage_web.classes.reviewing.ranking_input import (
    MOST_CHARACTERS,
    CommentInput,
    RankingInput,
    Unreadable,
    as_typed,
    before,
    from_form,
    from_json,
    without,
)
from peerage_web.shared.errors import Refused


def test_orders_come_as_they_were_meant():
    places = {"place-A": "2", "place-B": "1", "place-C": "2", "place-D": ""}
    form = {**places, "comment-A-7": "one\r\ntwo", "before": before([], 3, {"comment-A-7": 4})}
    comments = {"comment-A-7": {"text": "one\ntwo", "version": 4}}
    script = {"tiers": [["B"], ["C", "A"]], "version": 3, "comments": comments}

    expected = RankingInput([["B"], ["A", "C"]], 3, (CommentInput("A", 7, "one\ntwo", 4),))
    assert from_form(form) == expected
    assert from_json(json.dumps(script).encode()) == expected

    assert from_form({"place-A": "1", "place-B": "1", "place-C": "9"}).tiers == [["A", "B"], ["C"]]

    form = {"place-A": "1", "place-B": "2", "before": before([["A"], ["B"]], 5)}

    assert from_form(form).tiers is None
    assert from_form({**form, "place-B": "1"}).tiers == [["A", "B"]]
    assert from_json(b'{"version": 5}').tiers is None

    assert from_form({"comment-A-0": "go\0od"}).comments == (CommentInput("A", None, "good", 0),)

    assert without([["A", "B"], ["C"], ["D"]], ["A", "D"]) == [["A"], ["D"]]


def test_what_no_page_of_ours_sends_is_refused():
    for name, values in {
        "place-A": ("first", "-1", "99999"),
        "comment-A": ("x",),
        "comment-A-x": ("x",),
        "before": ("{", "[]", '{"version": -1}', '{"version": true}'),
    }.items():
        for value in values:
            with pytest.raises(Unreadable):
                from_form({name: value})

    for body in (
        b"",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        b'{"tiers": "AB"}',
        b'{"tiers": [[]]}',
        b'{"tiers": [["A"], ["A"]]}',
        b'{"tiers": [[1]]}',
        b'{"tiers": [], "version": "1"}',
        b'{"comments": []}',
        b'{"comments": {"comment-A-7": "text"}}',
        b'{"comments": {"comment-A-7": {"text": 7}}}',
    ):
        with pytest.raises(Unreadable):
            from_json(body)


def test_comment_that_is_too_long_is_refused_and_kept():
    form = {"comment-A-7": "x" * (MOST_CHARACTERS + 1), "place-A": "1", "place-B": "best"}

    with pytest.raises(Refused, match="Shorten it"):
        from_form({**form, "place-B": "2"})

    typed = as_typed(form)
    assert typed.tiers == [["A"]]
    assert typed.comments[0].text == form["comment-A-7"]

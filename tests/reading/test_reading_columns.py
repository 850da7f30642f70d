"""Which column is which."""

import pytest

from peerage import AmbiguousReadingError, DataError, read


def test_names_can_be_given_in_any_case_and_the_exact_one_beats_a_synonym():
    named = read(b"By,What,How\nada,x,5\n", grader="by", item="What", score="how")
    found = read(b"student,grader,item,score,owner,comment\ncyd,ada,x,5,bob,nice\n")

    assert named.item_labels.to_list() == ["x"]
    assert found.grader_labels.to_list() == ["ada"]
    assert found.notes == ("columns ignored: 'student', 'owner', 'comment'",)


def test_rank_orders_and_score_is_kept():
    feedback = read(b"grader,item,score,rank\nada,x,3,2\nada,y,5,1\nada,z,,3\n")

    assert list(feedback.orders()) == [("ada", [["y"], ["x"], ["z"]])]
    assert feedback.kind == "orders+scores"


def test_task_list_and_weight_are_used():
    feedback = read(b"assignment,grader,list,item,rank,weight\nt,a,1,x,1,2\nt,a,2,x,1,3\nu,a,1,x,1,1\n")

    assert feedback.task_labels.to_list() == ["t", "u"]
    assert feedback.list_weights.tolist() == [2.0, 3.0, 1.0]


def test_empty_name_leaves_a_column_unused_and_settles_a_guess_between_two():
    for unused, kind in (("score", "orders"), ("rank", "scores")):
        feedback = read(b"grader,item,rank,score\nada,x,1,5\nada,y,2,4\nada,z,3,1\n", **{unused: ""})
        assert (feedback.kind, feedback.notes) == (kind, (f"column ignored: {unused!r}",))
    asked = read(b"grader,item,score,question\nada,x,5,why?\nada,y,4,how?\n", task="")
    unclear = read(b"grader,item,score,assignment,exercise\nada,x,5,1,2\nada,y,4,1,2\n", task="")
    assert (asked.n_tasks, unclear.n_tasks) == (1, 1)


# -- when items were shown ---------------------------------------------------------------------------------


def shown_table(name, shown=(2, 1, 1, 2), **more):
    return {"grader": ["a", "a", "b", "b"], "item": ["x", "y", "x", "y"], **more, name: list(shown)}


@pytest.mark.parametrize("name", ["shown", "Position shown", "Display order"])
def test_a_column_that_says_when_items_were_shown_is_no_rank(name):
    feedback = read(shown_table(name, rank=[1, 2, 1, 2]))

    assert feedback.positions.tolist() == [2, 1, 1, 2]
    assert feedback.reading.columns["shown"] == name
    assert f"{name!r} says when each item was shown; it is not a rank." in feedback.sentences[-1]
    with pytest.raises(DataError, match="neither a rank nor a score column"):
        read(shown_table(name))


def test_a_column_called_position_may_be_a_rank():
    assert read(shown_table("Position", rank=[1, 2, 1, 2])).positions is None
    with pytest.raises(AmbiguousReadingError):
        read(shown_table("Position"))


@pytest.mark.parametrize("shown", [(3, 3, 3, 3), (0, 1, 0, 1), ("yes", "no", "yes", "no")])
def test_how_often_or_whether_items_were_shown_is_no_order(shown):
    feedback = read(shown_table("shown", shown, rank=[1, 2, 1, 2]))

    assert feedback.positions is None
    assert feedback.notes == ("column ignored: 'shown'",)

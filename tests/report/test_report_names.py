import report_cases as cases

from peerage import Feedback, grade
from peerage.report import report_html
from peerage.report.graders import grader_names


def test_no_grader_is_named_in_an_anonymous_report():
    named, page = report_html(cases.lettered()), report_html(cases.lettered(), anonymous=True)

    assert "Cases:</b> peer030" in named
    assert 'id="next-reviews"' in named
    assert "peer0" not in page
    assert 'id="next-reviews"' not in page  # whom to ask needs names
    assert "Graders are numbered; their names are left out." in page


def test_numbers_are_a_shuffle_that_the_names_do_not_give_away():
    feedback = cases.orders(12, 20)
    numbers = grader_names(feedback, anonymous=True)

    assert sorted(numbers) == [f"Grader {k:02d}" for k in range(1, 21)]
    assert numbers != sorted(numbers)
    assert numbers == grader_names(cases.orders(12, 20), anonymous=True)
    assert numbers != grader_names(cases.orders(12, 20, seed=2), anonymous=True)


def test_cases_about_people_are_left_out_as_own_work_names_its_maker():
    reviews = [("ada", ["ada", "bob"]), ("bob", ["cyd", "bob"]), ("cyd", ["ada", "cyd"])]
    owners = {"student": ["ada", "bob", "cyd"], "item": ["ada", "bob", "cyd"]}
    result = grade(Feedback.from_orders(reviews), method="bt", owners=owners)

    assert "ada on ada" in report_html(result)
    assert "ada on ada" not in report_html(result, anonymous=True)
    assert "Grader 1 on" not in report_html(result, anonymous=True)


def test_sentences_from_the_file_are_kept_unless_they_would_name_graders():
    result = grade(b"grader,item,rank\nada,x,1\nada,y<,2\nada,z,3\nbob,z,1\nbob,x,2\n")

    page = report_html(result)

    assert "Lines 2 to 4: ada ranks x first, then y&lt;, then z." in page
    assert "Items (3): x, y&lt;, z. Graders (2): ada, bob." in page
    assert "ada" not in report_html(result, anonymous=True)

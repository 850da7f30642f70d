"""Addresses of classes. Keys are random; what they lead to is looked up through what the person may see."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from peerage_web.classes.allocation import views as allocation
from peerage_web.classes.allocation import views as allocation_files
from peerage_web.classes.appeals import views as answering
from peerage_web.classes.appeals import views as asking
from peerage_web.classes.archives import views as archives
from peerage_web.classes.assignments import views as assignments
from peerage_web.classes.assignments import views as dates
from peerage_web.classes.assignments import views as phases
from peerage_web.classes.assignments import views as planning
from peerage_web.classes.assignments import views as teams
from peerage_web.classes.assignments import views as wizard
from peerage_web.classes.calendars import views as calendars
from peerage_web.classes.courses import views as courses
from peerage_web.classes.erasure import views as erasure
from peerage_web.classes.exports import views as export_pages
from peerage_web.classes.grading import result_views
from peerage_web.classes.grading import result_views as staff_looks
from peerage_web.classes.grading import views as comparing
from peerage_web.classes.grading import views as plan
from peerage_web.classes.grading import views as runs
from peerage_web.classes.grading import views as students
from peerage_web.classes.practice import views as practice
from peerage_web.classes.practice import views as practice_examples
from peerage_web.classes.progress import views as progress
from peerage_web.classes.reassignment import views as repairs
from peerage_web.classes.release import views as feedback
from peerage_web.classes.release import views as grade
from peerage_web.classes.release import views as release
from peerage_web.classes.reports import views as reports
from peerage_web.classes.reviewing import views as judging
from peerage_web.classes.reviewing import views as reviews
from peerage_web.classes.roster import views as people
from peerage_web.classes.roster import views as roster
from peerage_web.classes.submissions import file_views, staff_views
from peerage_web.classes.submissions import views as works
from peerage_web.classes.survey import views as survey_answering
from peerage_web.classes.survey import views as survey_questions
from peerage_web.classes.survey import views as survey_reading
from peerage_web.classes.webhooks import views as interfaces

assignment_patterns = [
    path("", assignments.assignment, name="assignment"),
    path("as-student", assignments.as_student, name="assignment-as-student"),
    path("edit", assignments.edit, name="assignment-edit"),
    path("duplicate", assignments.duplicate, name="assignment-duplicate"),
    path("delete", assignments.delete, name="assignment-delete"),
    path("step", phases.step, name="assignment-step"),
    path("dates", dates.dates, name="assignment-dates"),
    path("extensions", dates.grant_extension, name="extension-grant"),
    path("extensions/<int:extension>/remove", dates.remove_extension, name="extension-remove"),
    path("teams", teams.teams, name="assignment-teams"),
    # progress
    path("progress", progress.progress, name="progress"),
    path("progress/export", progress.export, name="progress-export"),
    path("progress/remind", progress.remind, name="remind"),
    # ranking and practising
    path("reviews/", reviews.reviews, name="reviews"),
    path("reviews/save", reviews.save, name="reviews-save"),
    path("reviews/hand-in", reviews.hand_in, name="reviews-hand-in"),
    path("reviews/receipts/<str:handed_in>/", reviews.receipt, name="ranking-receipt"),
    path("reviews/<str:review>/", reviews.review, name="review"),
    path("practice/", practice.practice, name="practice"),
    path("practice/save", practice.save, name="practice-save"),
    path("practice/finish", practice.finish, name="practice-finish"),
    path("practice/<str:example>/picture", practice.picture, name="practice-picture"),
    path("practice/<str:example>/download", practice.download, name="practice-download"),
    path("practice/examples/", practice_examples.examples, name="practice-examples"),
    path("practice/examples/<str:example>/", practice_examples.example, name="practice-example"),
    path("practice/examples/<str:example>/remove", practice_examples.remove, name="practice-remove"),
    # works: handing in, and what is shown of them
    path("work/", works.work, name="work"),
    path("work/upload", works.upload, name="work-upload"),
    path("work/change", works.change, name="work-change"),
    path("work/hand-in", works.hand_in, name="work-hand-in"),
    path("work/receipt", works.receipt, name="work-receipt"),
    path("work/picture", works.picture, name="work-picture"),
    path("work/download", works.download, name="work-download"),
    path("works", staff_views.works, name="works"),
    path("works/download", staff_views.download_all, name="works-download"),
    path("works/for/<int:member>/", works.work_for, name="work-for"),
    path("works/for/<int:member>/upload", works.upload_for, name="work-upload-for"),
    path("works/for/<int:member>/change", works.change_for, name="work-change-for"),
    path("works/for/<int:member>/hand-in", works.hand_in_for, name="work-hand-in-for"),
    path("works/<int:work>/", staff_views.one, name="works-one"),
    path("works/<int:work>/picture", staff_views.picture, name="works-one-picture"),
    path("works/<int:work>/download", staff_views.download, name="works-one-download"),
    path("works/<int:work>/original", staff_views.original, name="works-one-original"),
    path("works/<int:work>/take-out", staff_views.take_out, name="works-take-out"),
    path("works/<int:work>/put-back", staff_views.put_back, name="works-put-back"),
    path("reviews/<str:review>/picture", file_views.review_picture, name="review-picture"),
    path("reviews/<str:review>/download", file_views.review_download, name="review-download"),
    # allocation, its repair, and reports
    path("allocation", allocation.allocation, name="allocation"),
    path("allocation/commit", allocation.commit, name="allocation-commit"),
    path("allocation/matrix", allocation.matrix, name="allocation-matrix"),
    path("allocation/file", allocation_files.download_file, name="allocation-file"),
    path("allocation/import", allocation_files.import_file, name="allocation-import"),
    path("allocation/import/commit", allocation_files.commit_import, name="allocation-import-commit"),
    path("allocation/repair", repairs.repair, name="allocation-repair"),
    path("allocation/repair/commit", repairs.commit, name="allocation-repair-commit"),
    path("allocation/give-back/<int:member>", repairs.give_back, name="allocation-give-back"),
    path("allocation/reports", reports.reports, name="allocation-reports"),
    path("allocation/reports/<int:work>/settle", reports.settle, name="allocation-settle"),
    path("reviews/<str:review>/report", reports.report, name="review-report"),
    path("judge/<int:member>/", judging.review_for, name="judge"),
    path("judge/<int:member>/save", judging.save_for, name="judge-save"),
    path("judge/<int:member>/hand-in", judging.hand_in_for, name="judge-hand-in"),
    path("judge/<int:member>/<str:review>/", judging.submission_for, name="judge-work"),
    # appeals: of students, and as staff answer them
    path("appeal/", asking.appeal, name="appeal"),
    path("appeal/<str:appeal>/withdraw", asking.withdraw, name="appeal-withdraw"),
    path("appeals/", answering.appeals, name="appeals"),
    path("appeals/open", answering.open_for, name="appeal-open"),
    path("appeals/<str:appeal>/", answering.staff_appeal, name="appeals-one"),
    path("appeals/<str:appeal>/preview", answering.preview, name="appeal-preview"),
    path("appeals/<str:appeal>/accept", answering.accept, name="appeal-accept"),
    path("appeals/<str:appeal>/decline", answering.decline, name="appeal-decline"),
    # survey
    path("survey/", survey_answering.survey, name="survey"),
    path("survey/answers", survey_reading.staff, name="survey-staff"),
    path("survey/answers/file", survey_reading.file, name="survey-file"),
    path("survey/answers/<int:question>/", survey_reading.code, name="survey-code"),
    path("survey/look", survey_reading.look, name="survey-look"),
    path("survey/results", survey_reading.results, name="survey-results"),
    path("survey/questions", survey_questions.questions, name="survey-questions"),
    path("survey/questions/<int:question>/remove", survey_questions.remove, name="survey-remove"),
    path("survey/questions/<int:question>/again", survey_questions.again, name="survey-again"),
    path("survey/switch", survey_questions.switch, name="survey-switch"),
    path("survey/close", survey_questions.close, name="survey-close"),
    # grading: the plan, runs, what staff say of works, grades set by hand
    path("grading/", runs.runs, name="grading"),
    path("grading/plan", plan.plan, name="grading-plan"),
    path("grading/start", runs.start, name="grading-start"),
    path("grading/look", staff_looks.look, name="grading-look"),
    path("grading/look/<int:work>/grade", staff_looks.grade, name="grading-judge"),
    path("grading/look/<int:work>/withdraw", staff_looks.withdraw, name="grading-judge-withdraw"),
    path("grading/ranking", staff_looks.ranking, name="grading-ranking"),
    path("grading/works/<int:work>/", students.override, name="grading-override"),
    path("grading/runs/<str:run>/", runs.run, name="grading-run"),
    path("grading/runs/<str:run>/progress", runs.progress, name="grading-progress"),
    path("grading/runs/<str:run>/cancel", runs.cancel, name="grading-cancel"),
    path("grading/runs/<str:run>/approve", runs.approve, name="grading-approve"),
    path("grading/runs/<str:run>/students", students.students, name="grading-students"),
    path("grading/runs/<str:run>/compare", comparing.compare, name="grading-compare"),
    path("grading/runs/<str:run>/report", result_views.report, name="grading-report"),
    path("grading/runs/<str:run>/file", result_views.file, name="grading-file"),
    path("grading/runs/<str:run>/explain", result_views.explain, name="grading-explain"),
    path("grading/runs/<str:run>/rows/grades", result_views.grade_rows, name="grading-rows-grades"),
    path("grading/runs/<str:run>/rows/graders", result_views.grader_rows, name="grading-rows-graders"),
    # release: grades as students see them, helpfulness, and comments that are hidden
    path("release/", release.release, name="release"),
    path("release/now", release.release_now, name="release-now"),
    path("release/retract", release.retract, name="release-retract"),
    path("release/as/<int:member>/", release.as_student, name="release-as"),
    path("release/reviewers", feedback.reviewers_list, name="release-reviewers"),
    path("feedback/", feedback.feedback, name="feedback"),
    path("feedback/<int:comment>/hide", feedback.hide, name="comment-hide"),
    path("feedback/<int:comment>/show", feedback.show_again, name="comment-show"),
    path("grade/", grade.grade, name="grade"),
    path("grade/rate", grade.rate_comments, name="grade-rate"),
    # exports
    path("exports", export_pages.exports, name="exports"),
    path("exports/book", export_pages.book, name="export-book"),
    path("exports/data", export_pages.data, name="export-data"),
    path("exports/data/file", export_pages.data_file, name="export-data-file"),
]
course_patterns: list[URLPattern | URLResolver] = [
    path("", courses.course, name="course"),
    path("settings", courses.course_settings, name="course-settings"),
    path("record", courses.record, name="course-record"),
    path("people", people.people, name="people"),
    path("people/add", people.add_student, name="student-add"),
    path("people/staff", people.add_staff, name="staff-add"),
    path("people/invite", people.invite_all, name="people-invite"),
    path("people/<int:member>/", people.member, name="member"),
    path("people/<int:member>/role", people.change_role, name="member-role"),
    path("people/<int:member>/drop", people.drop, name="member-drop"),
    path("people/<int:member>/invite", people.invite, name="member-invite"),
    path("people/<int:member>/data", erasure.export, name="member-data"),
    path("people/<int:member>/erase", erasure.erase, name="member-erase"),
    path("roster", roster.upload, name="roster-upload"),
    path("roster/<str:roster_import>/", roster.preview, name="roster-preview"),
    path("roster/<str:roster_import>/commit", roster.commit, name="roster-commit"),
    path("roster/<str:roster_import>/cancel", roster.cancel, name="roster-cancel"),
    path("assignments/new", assignments.new, name="assignment-new"),
    path("assignments/wizard", wizard.wizard, name="assignment-wizard"),
    path("assignments/expected", planning.expected, name="assignment-expected"),
    # interfaces and exports
    path("interfaces", interfaces.interfaces, name="interfaces"),
    path("interfaces/tokens", interfaces.add_token, name="token-add"),
    path("interfaces/tokens/<int:token>/revoke", interfaces.revoke_token, name="token-revoke"),
    path("interfaces/webhooks", interfaces.add_webhook, name="webhook-add"),
    path("interfaces/webhooks/<int:webhook>/", interfaces.webhook, name="webhook"),
    path("interfaces/webhooks/<int:webhook>/end", interfaces.end_webhook, name="webhook-end"),
    path("interfaces/webhooks/<int:webhook>/try", interfaces.try_webhook, name="webhook-try"),
    path("archive", archives.archive, name="course-archive"),
    path("a/<str:assignment>/", include(assignment_patterns)),
]
urlpatterns = [
    path("courses", courses.courses, name="courses"),
    path("courses/new", courses.new_course, name="course-new"),
    path("courses/import", archives.import_, name="course-import"),
    path("calendar", calendars.calendar, name="calendar"),
    path("calendar/renew", calendars.renew, name="calendar-renew"),
    path("calendar/<str:calendar_key>.ics", calendars.file, name="calendar-file"),
    path("c/<str:course>/", include(course_patterns)),
]

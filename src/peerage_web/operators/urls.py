"""Addresses of the operators' page."""

from django.urls import path

from peerage_web.operators import views

urlpatterns = [
    path("operator/", views.operator, name="operator"),
    path("operator/test-mail", views.test_mail, name="operator-test-mail"),
    path("operator/courses/", views.courses, name="operator-courses"),
    path("operator/courses/<int:number>", views.course_disk_space, name="operator-course"),
    path("operator/course-creators", views.course_creators, name="operator-course-creators"),
    path(
        "operator/course-creators/<int:number>/stop",
        views.stop_course_creator,
        name="operator-course-creator-stop",
    ),
]

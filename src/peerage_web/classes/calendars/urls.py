"""Addresses of calendars."""

from __future__ import annotations

from django.urls import path

from peerage_web.classes.calendars import views

patterns = [
    path("calendar", views.calendar, name="calendar"),
    path("calendar/renew", views.renew, name="calendar-renew"),
    path("calendar/<str:calendar_key>.ics", views.file, name="calendar-file"),
]

"""The one address of examples."""

from __future__ import annotations

from django.urls import path

from peerage_web.demo.views import demo

urlpatterns = [path("demo", demo, name="demo")]

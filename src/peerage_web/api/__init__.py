"""The API."""

urlpatterns: list[object] = []

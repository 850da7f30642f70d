"""POST check and POST grade: what the command line answers, over HTTP."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from peerage_web.models import Job

pytestmark = pytest.mark.django_db(transaction=True)


def upload(data: bytes, name: str = "feedback.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def test_grade_answers_a_small_class_at_once(client, posters):
    answer = client.post("/api/v1/grade", {"file": upload(posters), "scale": "0:10"})

    assert answer.status_code == 200, answer.content
    result = answer.json()
    assert result["provenance"]["input"]["file"] == "feedback.csv"
    assert len(result["items"]) == 42
    assert not Job.objects.exists()

"""The addresses of a job's pages, and what its set-up page answers to a change in its form."""

from django.urls import reverse

from peerage_web.files.models import Job

HTMX = {"HX-Request": "true"}


def address(job: Job, name: str = "job") -> str:
    return reverse(name, args=[job.key])


def preview(client, job: Job, sent: dict, headers: dict[str, str] = HTMX):
    return client.post(address(job, "preview"), sent, headers=headers)

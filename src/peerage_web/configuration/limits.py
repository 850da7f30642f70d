"""What one visitor may ask of the service: stated on the pages, enforced everywhere."""

from __future__ import annotations

from dataclasses import dataclass

from peerage_web.configuration import environment as env

MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Every limit, with its meaning; an instance changes them through the environment."""

    file_bytes: int  # of one uploaded file
    reviews: int  # rows of feedback in one job
    list_length: int  # items one grader may have ranked at once
    job_seconds: int  # running time of one grading job
    direct_seconds: int  # a preview, an explanation, any answer for which the visitor waits
    memory: int  # bytes that one job may use
    sandbox_slots: int  # previews and other direct answers at once in one web worker
    jobs_per_visitor: int  # waiting or running at once
    jobs: int  # waiting or running at once, in all
    kept_hours: int  # until everything of a job is deleted
    kept_days_longest: int  # that a visitor may choose to keep a result instead; 0: none
    direct_reviews: int  # up to this many reviews, the API answers at once
    requests: int  # API requests per visitor or token and minute
    uploads: int  # uploads per visitor and hour
    previews: int  # previews, explanations and other direct answers per visitor and minute
    visitor_bytes: int  # of disk for the files and results of one visitor
    disk_bytes: int  # of disk for all files and results
    submission_bytes: int  # of disk for all that was submitted of one submission of a class
    submissions_bytes: int  # of disk for all submissions of all classes
    course_bytes: int  # of disk for the files of one course, unless operators gave it another limit
    archive_bytes: int  # of an archive of a course that is imported, packed and unpacked

    @classmethod
    def from_environment(cls) -> Limits:
        return cls(
            file_bytes=env.number("PEERAGE_MAX_MEGABYTES", 20, most=10_000) * MEGABYTE,
            reviews=env.number("PEERAGE_MAX_REVIEWS", 500_000),
            list_length=env.number("PEERAGE_MAX_LIST", 500, least=2),
            job_seconds=env.number("PEERAGE_MAX_SECONDS", 300, most=24 * 3600),
            direct_seconds=env.number("PEERAGE_MAX_DIRECT_SECONDS", 30, most=3600),
            memory=env.number("PEERAGE_JOB_MEMORY_MEGABYTES", 2048, least=512, most=1 << 20) * MEGABYTE,
            sandbox_slots=env.number("PEERAGE_SANDBOX_SLOTS", 2),
            jobs_per_visitor=env.number("PEERAGE_JOBS_PER_VISITOR", 3),
            jobs=env.number("PEERAGE_JOBS", 50),
            kept_hours=env.number("PEERAGE_KEEP_HOURS", 24, most=24 * 366),
            kept_days_longest=env.number("PEERAGE_KEEP_DAYS_LONGEST", 30, least=0, most=366),
            direct_reviews=env.number("PEERAGE_DIRECT_REVIEWS", 20_000),
            requests=env.number("PEERAGE_API_REQUESTS", 120),
            uploads=env.number("PEERAGE_UPLOADS", 120),
            previews=env.number("PEERAGE_PREVIEWS", 120),
            visitor_bytes=env.number("PEERAGE_VISITOR_MEGABYTES", 1000) * MEGABYTE,
            disk_bytes=env.number("PEERAGE_DISK_MEGABYTES", 20_000) * MEGABYTE,
            submission_bytes=env.number("PEERAGE_SUBMISSION_MEGABYTES", 500) * MEGABYTE,
            submissions_bytes=env.number("PEERAGE_SUBMISSIONS_MEGABYTES", 50_000) * MEGABYTE,
            course_bytes=env.number("PEERAGE_COURSE_MEGABYTES", 10_000) * MEGABYTE,
            archive_bytes=env.number("PEERAGE_ARCHIVE_MEGABYTES", 1000) * MEGABYTE,
        )

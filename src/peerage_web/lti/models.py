"""Platforms that may launch, what of theirs belongs to what of ours, launches on their way, and scores."""

import re
from datetime import timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.db import models
from django.db.models import Q

from peerage_web.classes.assignments.models import Assignment
from peerage_web.classes.courses.models import Course, Membership
from peerage_web.classes.keys import secret_key, short_key
from peerage_web.classes.release.models import Release

_HOST = re.compile(r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|[0-9a-f:.]+")


class LtiRegistration(models.Model):
    """One client of one platform. Hosted platforms share an issuer, so only both together are a name."""

    key = models.CharField(max_length=16, unique=True, default=short_key, editable=False)
    name = models.CharField(max_length=100)
    issuer = models.CharField(max_length=255)
    client_id = models.CharField(max_length=255)
    auth_url = models.CharField(max_length=500)  # where a launch is asked for
    token_url = models.CharField(max_length=500)
    token_audience = models.CharField(max_length=500, blank=True)  # empty: the address of tokens
    jwks_url = models.CharField(max_length=500)
    # origins where people see the platform, beside those of the addresses above
    more_origins = models.JSONField(default=list, blank=True)
    jwks = models.JSONField(default=dict)  # the platform's public keys, as they were fetched last
    jwks_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    paused_at = models.DateTimeField(null=True, blank=True)  # nothing comes in, and nothing goes out
    # calls wait until then: the platform was away, or asked for patience
    calls_after = models.DateTimeField(null=True, blank=True)
    problem = models.CharField(max_length=500, blank=True)  # of the last call that failed

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["issuer", "client_id"], name="one_registration_per_client"),
        ]

    @property
    def identity_issuer(self) -> str:
        """Under which its people are known (`Identity`): two clients of one issuer never mix."""
        return f"lti {self.key}"

    @property
    def origins(self) -> list[str]:
        """Origins that may show our LTI pages in a frame, and that forms of those pages may go to."""
        addresses = (self.issuer, self.auth_url, *self.more_origins)
        return sorted({origin_of(address) for address in addresses} - {""})

    @property
    def home_url(self) -> str:
        """Where people find the platform; hosted ones share an issuer, which is nobody's home."""
        own = origin_of(self.issuer)
        if own and (not self.more_origins or own in self.more_origins):
            return self.issuer
        return next(iter(self.more_origins), origin_of(self.auth_url))

    @property
    def hosts(self) -> set[str]:
        """Hosts that an operator or a registration link named; they may be on a private network."""
        named = (self.issuer, self.auth_url, self.token_url, self.jwks_url)
        return {urlsplit(address).hostname or "" for address in named} - {""}


def origin_of(address: str) -> str:
    """Scheme, host and port; empty where it is no address of the web."""
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return ""
    host = parts.hostname or ""
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(host):
        return ""  # it stands in headers, so nothing else may be in it
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{host}{port}"


class LtiDeployment(models.Model):
    """A place on a platform where Peerage was added; one that nobody here approved opens nothing."""

    registration = models.ForeignKey(LtiRegistration, on_delete=models.CASCADE, related_name="deployments")
    deployment_id = models.CharField(max_length=255)
    first_seen_at = models.DateTimeField(auto_now_add=True)
    approved_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["registration", "deployment_id"], name="deployments_differ"),
        ]


class LtiInvitation(models.Model):
    """A link by which a platform's administrator registers it, once; only its hash is kept."""

    hash = models.CharField(max_length=64, unique=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True, blank=True)
    registration = models.ForeignKey(
        LtiRegistration, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )


class LtiKey(models.Model):
    """One pair. It is shown to platforms before it signs and after it has stopped, for they keep copies."""

    kid = models.CharField(max_length=64, unique=True)
    public = models.JSONField()  # as a JWK
    private = models.TextField()  # encrypted under the secret key of the instance
    made_at = models.DateTimeField(auto_now_add=True)
    signs_from = models.DateTimeField()
    shown_until = models.DateTimeField(null=True, blank=True)  # set once another has taken over

    class Meta:
        ordering = ["-signs_from", "-pk"]

    def __str__(self) -> str:
        return f"key {self.kid}"


# -- courses, links and people of a platform ---------------------------------------------------------


class LtiContext(models.Model):
    """A course of the platform, once an instructor has launched from it; connected to one of ours or not."""

    deployment = models.ForeignKey(LtiDeployment, on_delete=models.CASCADE, related_name="contexts")
    context_id = models.CharField(max_length=255)
    title = models.CharField(max_length=200, blank=True)
    course = models.ForeignKey(
        Course, null=True, blank=True, on_delete=models.CASCADE, related_name="lti_contexts"
    )
    memberships_url = models.CharField(max_length=1000, blank=True)  # empty: no roster is offered
    line_items_url = models.CharField(max_length=1000, blank=True)
    scopes = models.JSONField(default=list)  # of grades, which the platform offers here
    page_url = models.CharField(max_length=1000, blank=True)  # the course's page there; empty: not known
    synced_at = models.DateTimeField(null=True, blank=True)  # the roster
    # the submission and the reviewing apart, which the platform weighs by itself; else one: the total grade
    has_two_columns = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["deployment", "context_id"], name="lti_contexts_differ"),
        ]


class LtiLink(models.Model):
    """A link in a course of the platform, and the assignment that it opens."""

    context = models.ForeignKey(LtiContext, on_delete=models.CASCADE, related_name="links")
    link_id = models.CharField(max_length=255)
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="lti_links")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["context", "link_id"], name="lti_links_differ")]


class LtiPlace(models.Model):
    """Somebody of the platform's course in ours, under the name that the platform has for them.

    `platform_role` is what the platform last said that they are, as far as it counts (`people.take_place`):
    when that changes, it holds; as long as it is the same, what staff decided here since then stays.
    """

    context = models.ForeignKey(LtiContext, on_delete=models.CASCADE, related_name="places")
    subject = models.CharField(max_length=255)
    membership = models.ForeignKey(Membership, on_delete=models.CASCADE, related_name="lti_places")
    platform_role = models.CharField(max_length=10, blank=True)  # a role; empty: none
    is_from_roster = models.BooleanField(default=False)  # a roster said so: a launch cannot change it
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["context", "subject"], name="one_lti_place_each"),
            models.UniqueConstraint(fields=["context", "membership"], name="one_lti_subject_each"),
        ]


# -- launches on their way: each lives for minutes, is used once, and is kept as a hash only ---------


class LtiLogin(models.Model):
    """State, nonce and registration, bound together at the login and used up by one launch."""

    state_hash = models.CharField(max_length=64, unique=True)
    nonce_hash = models.CharField(max_length=64, blank=True)  # empty: the platform was not asked yet
    registration = models.ForeignKey(LtiRegistration, on_delete=models.CASCADE, related_name="+")
    storage = models.CharField(max_length=100, blank=True)  # the frame that keeps things for us, if any
    asked = models.JSONField(default=dict)  # with what the login began; it can begin again elsewhere
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True, blank=True)


class LtiTicket(models.Model):
    """The way from a frame into a window of its own: signs in once, within a minute."""

    hash = models.CharField(max_length=64, unique=True)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    path = models.CharField(max_length=300)
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True, blank=True)


class LtiPicking(models.Model):
    """A question of the platform or of a launch: which assignment. The key in its address opens it.

    With `return_url` it is Deep Linking; with `link_id` a link that does not say yet what it opens.
    """

    key = models.CharField(max_length=32, unique=True, default=secret_key, editable=False)
    context = models.ForeignKey(LtiContext, on_delete=models.CASCADE, related_name="+")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    subject = models.CharField(max_length=255)  # what the platform calls them
    return_url = models.CharField(max_length=1000, blank=True)
    data = models.TextField(blank=True)  # what the platform wants back as it was
    takes_line_item = models.BooleanField(default=True)
    link_id = models.CharField(max_length=255, blank=True)
    link_title = models.CharField(max_length=200, blank=True)
    grades = models.JSONField(default=dict)  # the launch's own claim about line items
    custom = models.JSONField(default=dict)  # what the link carries: in a copy, what it opened before
    framed = models.BooleanField(default=True)
    language = models.CharField(max_length=10, blank=True)
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True, blank=True)


# -- columns of the platform's grade book, and the outbox of scores for them -------------------------


class LtiLineItem(models.Model):
    """One column: the submission or the reviewing of one assignment, in one course of the platform."""

    class Kind(models.TextChoices):
        SUBMISSION = "submission", "the submission, or the total grade where it is the only column"
        REVIEWING = "reviewing", "the reviewing"

    context = models.ForeignKey(LtiContext, on_delete=models.CASCADE, related_name="line_items")
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="lti_line_items")
    kind = models.CharField(max_length=10, choices=Kind)
    url = models.CharField(max_length=1000, blank=True)  # empty: not found nor made yet
    link_id = models.CharField(max_length=255, blank=True)
    maximum = models.FloatField(default=100)
    # maximum and address for which the platform's column was looked at, and changed if need be
    adjusted_for = models.CharField(max_length=1030, blank=True)
    unadjusted = models.CharField(max_length=500, blank=True)  # why it could not be changed, in their words
    # the release whose grades are in the outbox, of which nothing is missing; None: look again
    release = models.ForeignKey(Release, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    is_current = models.BooleanField(default=False)  # the outbox has all that there is to say now
    filled_at = models.DateTimeField(null=True, blank=True)  # when that was so
    checked_at = models.DateTimeField(null=True, blank=True)  # what teachers changed there was looked for
    problem = models.CharField(max_length=500, blank=True)  # why the column is not there, in their words

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["context", "assignment", "kind"], name="one_column_each"),
        ]


class LtiScore(models.Model):
    """One score on its way: what was to be said, when it was tried, and what the platform answered."""

    APART = timedelta(milliseconds=1100)  # between scores of one student and column, by their timestamps

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        HELD = "held", "held: the grade was changed on the platform"
        SENT = "sent", "arrived"
        REPLACED = "replaced", "a newer one took its place"
        KEPT = "kept", "staff left the platform's grade as it is"
        REFUSED = "refused", "the platform refused it"

    line_item = models.ForeignKey(LtiLineItem, on_delete=models.CASCADE, related_name="scores")
    place = models.ForeignKey(LtiPlace, on_delete=models.CASCADE, related_name="scores")
    release = models.ForeignKey(Release, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    given = models.FloatField(null=True, blank=True)  # None: takes back what was there
    maximum = models.FloatField()
    comment = models.CharField(max_length=100, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    made_at = models.DateTimeField(auto_now_add=True)
    timestamp = models.DateTimeField(null=True, blank=True)  # it carries this one at every try
    attempts = models.PositiveSmallIntegerField(default=0)
    is_open = models.BooleanField(default=False)  # a try went out, and nobody knows how it ended
    not_before = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    found = models.FloatField(null=True, blank=True)  # the other grade, where it is held
    status = models.PositiveSmallIntegerField(null=True, blank=True)  # of the last answer
    problem = models.CharField(max_length=500, blank=True)  # the platform's own words

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(
                fields=["not_before", "id"], condition=Q(state="waiting"), name="lti_scores_waiting"
            ),
            models.Index(fields=["line_item", "place", "-id"], name="lti_scores_of_somebody"),
        ]

    @property
    def is_overridden(self) -> bool:
        """The platform took it and shows another grade all the same, which a teacher has locked there."""
        return self.state == self.State.REFUSED and self.status == 200

"""What is said of retractions, what follows for each source, what editors decided, and what was asked when.

Assertions are only ever added to: an old one says what was known then. What a person decided is a row of its own, which
no check changes.
"""

from django.conf import settings
from django.db import models
from django.db.models import Q

from provenance_site.accounts.models import Workspace
from provenance_site.changes.models import ChangeSet
from provenance_site.kit.choices import choices_of, value_in
from sources.core.kinds import IdentifierType, UseKind
from sources.core.resolvers import resolver_address
from sources.core.retraction_list import words_of
from sources.core.retraction_status import Nature, Provider, Status
from sources.core.retraction_terms import HintKind
from sources.models.source import Source


class RetractionAssertion(models.Model):
    """What one provider's record says of one identifier; the same for all workspaces, but for what a workspace's own
    files say: that is heard in it alone (`workspace`).

    `key` is the lower-case hex SHA-256 of provider, record, nature, identifier, notice and its date: said again, the
    same only moves `last_seen_at`. `identifier_key` is as `sources.core.records.Identity.key`: by it sources meet it.
    """

    key = models.CharField(max_length=64, unique=True, editable=False)
    workspace = models.ForeignKey(
        Workspace,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        db_index=False,
        related_name="+",
        help_text="Where an imported file said it; none for what holds everywhere.",
    )
    identifier_type = models.CharField(max_length=10, choices=choices_of(IdentifierType))
    identifier_value = models.TextField(help_text="Normalised, as sources have it.")
    identifier_key = models.CharField(max_length=64, editable=False)
    provider = models.CharField(max_length=20, choices=choices_of(Provider))
    record_id = models.TextField(help_text="The provider's own name for its record.")
    nature = models.CharField(max_length=10, choices=choices_of(Nature))
    raw_nature = models.TextField(blank=True, help_text="As the provider says it.")
    notice_identifier = models.TextField(blank=True)
    notice_date = models.CharField(max_length=10, blank=True, help_text="2010, 2010-02 or 2010-02-06.")
    original_date = models.CharField(max_length=10, blank=True)
    reasons = models.JSONField(default=list, blank=True)
    url = models.TextField(blank=True)
    snapshot = models.CharField(max_length=100, blank=True, help_text="Of what it was read: a digest or a fetch.")
    first_seen_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=value_in("provider", Provider), name="assertion_provider_is_known"),
            models.CheckConstraint(condition=value_in("nature", Nature), name="assertion_nature_is_known"),
            models.CheckConstraint(condition=~Q(identifier_key=""), name="an_assertion_is_about_an_identifier"),
            models.CheckConstraint(
                condition=Q(provider=Provider.IMPORTED.value, workspace__isnull=False)
                | (~Q(provider=Provider.IMPORTED.value) & Q(workspace__isnull=True)),
                name="what_a_file_says_is_heard_in_its_workspace_alone",
            ),
        ]
        indexes = [
            models.Index(fields=["identifier_key"], name="assertions_by_identifier"),
            models.Index(fields=["workspace"], name="assertions_of_files", condition=Q(workspace__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.provider}: {self.nature} {self.identifier_value}"

    @property
    def as_provider(self) -> Provider:
        """Who says it, as the enum."""
        return Provider(self.provider)

    @property
    def notice_link(self) -> str:
        """An address of the notice that a person can click, '' where none is known."""
        if self.notice_identifier.startswith("10."):
            return resolver_address(IdentifierType.DOI, self.notice_identifier)
        return self.url if self.url.startswith(("https://", "http://")) else ""

    @property
    def says(self) -> str:
        """What it says, in words. A review that only became too old was superseded, and nobody did wrong."""
        is_old = any("out of date" in " ".join(str(one).lower().split()) for one in self.reasons)
        return "Superseded: withdrawn as out of date" if is_old else self.as_nature.label

    @property
    def as_nature(self) -> Nature:
        """What it says, as the enum."""
        return Nature(self.nature)


class RetractionCheck(models.Model):
    """When one provider last answered, and last failed to answer, about one identifier."""

    identifier_key = models.CharField(max_length=64)
    provider = models.CharField(max_length=20, choices=choices_of(Provider))
    answered_at = models.DateTimeField(null=True, blank=True)
    failed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["identifier_key", "provider"], name="retraction_check_once_per_provider"),
            models.CheckConstraint(condition=value_in("provider", Provider), name="retraction_check_provider_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.provider} {self.identifier_key[:12]}"


class RetractionStanding(models.Model):
    """What follows for one source of all assertions, by `sources.core.retraction_status.derive` of that version."""

    source = models.OneToOneField(Source, on_delete=models.CASCADE, related_name="retraction_standing")
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE, related_name="+")
    status = models.CharField(max_length=12, choices=choices_of(Status))
    is_retracted = models.BooleanField(default=False)
    needs_editor = models.BooleanField(default=False)
    disagrees = models.BooleanField(default=False)
    version = models.CharField(max_length=10)
    evidence_fingerprint = models.CharField(max_length=64, blank=True)
    as_of = models.DateTimeField(null=True, blank=True)
    changed_at = models.DateTimeField(help_text="When the evidence or the status last changed.")

    class Meta:
        constraints = [models.CheckConstraint(condition=value_in("status", Status), name="standing_status_is_known")]
        indexes = [models.Index(fields=["workspace", "status", "-changed_at"], name="standings_by_status")]

    def __str__(self) -> str:
        return f"{self.status} {self.source_id}"

    @property
    def as_status(self) -> Status:
        """The status as the enum that explains itself."""
        return Status(self.status)


class RetractionDecision(models.Model):
    """What a person decided about a source's retraction, on what evidence. The newest that is not undone holds.

    `is_stale` is set when the evidence is no longer what the person saw: the decision goes on holding until somebody
    affirms or changes it.
    """

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="retraction_decisions")
    status = models.CharField(max_length=12, choices=choices_of(Status))
    reason = models.TextField()
    notice = models.TextField(blank=True)
    notice_date = models.CharField(max_length=10, blank=True)
    evidence_fingerprint = models.CharField(max_length=64, blank=True)
    is_stale = models.BooleanField(default=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    change_set = models.ForeignKey(ChangeSet, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=value_in("status", Status), name="retraction_decision_status_is_known"),
            models.CheckConstraint(condition=~Q(reason=""), name="a_retraction_decision_says_why"),
        ]
        indexes = [models.Index(fields=["source", "-at"], name="retraction_decisions_newest")]

    def __str__(self) -> str:
        return f"{self.status} by {self.by_id}"

    @property
    def as_status(self) -> Status:
        """What was decided, as the enum."""
        return Status(self.status)

    @property
    def label(self) -> str:
        """What was decided, in words: that nothing was found is a machine's word."""
        return words_of(self.as_status)


class RetractionHint(models.Model):
    """What may be meant and no machine may say: a person looks. It never marks anything.

    `words` is what there is to compare, such as the title in the provider's record. Once for each record: told again,
    it is silence.
    """

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="retraction_hints")
    kind = models.CharField(max_length=12, choices=choices_of(HintKind))
    provider = models.CharField(max_length=20, choices=choices_of(Provider))
    record_id = models.CharField(max_length=200)
    words = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=value_in("kind", HintKind), name="retraction_hint_kind_is_known"),
            models.UniqueConstraint(
                fields=["source", "kind", "provider", "record_id"], name="hinted_once_for_each_record"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.source_id}"

    @property
    def as_kind(self) -> HintKind:
        """Why it is proposed, as the enum."""
        return HintKind(self.kind)


class RetractionAcknowledgement(models.Model):
    """That one use of a retracted source is meant: “we cite it as retracted, on purpose”, with the reason.

    It was said on the evidence of its day (`evidence_fingerprint`): where there is other evidence the use warns again.
    """

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="retraction_acknowledgements")
    use_kind = models.CharField(max_length=12, choices=choices_of(UseKind))
    use_id = models.BigIntegerField()
    reason = models.TextField()
    evidence_fingerprint = models.CharField(max_length=64, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=value_in("use_kind", UseKind), name="acknowledged_use_is_known"),
            models.CheckConstraint(condition=~Q(reason=""), name="an_acknowledgement_says_why"),
            models.UniqueConstraint(
                fields=["source", "use_kind", "use_id"],
                condition=Q(withdrawn_at__isnull=True),
                name="one_acknowledgement_per_use",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.use_kind} {self.use_id} of {self.source_id}"

    @property
    def is_outdated(self) -> bool:
        """True where there is other evidence now than its person saw. Reads the source's standing."""
        standing = getattr(self.source, "retraction_standing", None)
        return self.evidence_fingerprint != (standing.evidence_fingerprint if standing else "")

"""What is said, and on what ground: claims, the evidence on their edges, and what verifications found."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from lineage.core.evidence import Fault, Support, VerificationResult
from lineage.models.graph import Edge, Entity
from provenance_site.kit.choices import choices_of, value_in


class Claim(models.Model):
    """What is known of a claim beyond its node: the hash of its text, and the text where the workspace keeps it.

    The outputs that contain it are edges. Only a material claim needs evidence for a release.
    """

    entity = models.OneToOneField(Entity, on_delete=models.CASCADE, primary_key=True, related_name="claim")
    text_hash = models.CharField(max_length=64, help_text="Lower-case hex SHA-256 of the text in UTF-8.")
    text = models.TextField(blank=True)
    is_material = models.BooleanField(default=True)

    def __str__(self) -> str:
        return self.text or self.text_hash


class Evidence(models.Model):
    """How an edge of a claim (SUPPORTED_BY, DERIVED_FROM) bears on it, and how the evidence was found."""

    edge = models.OneToOneField(Edge, on_delete=models.CASCADE, primary_key=True, related_name="evidence")
    support = models.CharField(max_length=12, choices=choices_of(Support))
    scope = models.CharField(max_length=200, blank=True, help_text="What of the claim it bears on; '' for all of it.")
    is_verified = models.BooleanField(default=False)
    rank = models.PositiveIntegerField(null=True, blank=True, help_text="Place among what the retrieval gave, from 1.")
    query_hash = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=value_in("support", Support), name="evidence_support_is_known")]

    def __str__(self) -> str:
        return f"{self.support} evidence"


class Verification(models.Model):
    """One look of a person or a machine at a claim; append-only, the newest counts."""

    claim = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="verifications")
    result = models.CharField(max_length=10, choices=choices_of(VerificationResult))
    fault = models.CharField(max_length=16, choices=choices_of(Fault), blank=True)
    reason = models.TextField(blank=True)
    verifier = models.CharField(max_length=200, blank=True, help_text="The tool and version, where no person looked.")
    evidence_fingerprint = models.CharField(
        max_length=64, blank=True, help_text="Of the evidence that was looked at, see `lineage.claims`."
    )
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=value_in("result", VerificationResult), name="verification_result_is_known"
            ),
            models.CheckConstraint(
                condition=value_in("fault", Fault, or_empty=True), name="verification_fault_is_known"
            ),
            models.CheckConstraint(
                condition=Q(fault="") | ~Q(result=VerificationResult.PASS.value), name="a_passed_claim_has_no_fault"
            ),
        ]
        indexes = [models.Index(fields=["claim", "-at"], name="verifications_of_a_claim")]

    def __str__(self) -> str:
        return f"{self.result} at {self.at:%Y-%m-%d}"

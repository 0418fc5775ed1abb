"""Keys of providers: each is bound to one host and port, and shows itself to nobody else."""

from dataclasses import dataclass, field

from provenance_site.kit.outbound.policy import OutboundPolicy
from provenance_site.kit.outbound.targets import Target, UnusableTarget, target_of


@dataclass(frozen=True, slots=True)
class Bearer:
    """A key for exactly the host and port of `base_url` (RFC 6750, 2.1). The key is in no repr and no message."""

    base_url: str
    key: str = field(repr=False)

    def header_for(self, target: Target, policy: OutboundPolicy) -> str:
        """The Authorization header for a request to `target`.

        Raises UnusableTarget where the key is not for this host, where it would be readable on the way (plain http to
        another host than the operator's own, see `OutboundPolicy.is_listed`), and where it is no header text.
        """
        bound = target_of(self.base_url)
        if (target.host, target.port, target.url.scheme) != (bound.host, bound.port, bound.url.scheme):
            raise UnusableTarget("the key is for another host")
        if not target.is_secure and not policy.is_listed(target.host, target.port):
            raise UnusableTarget("a key is sent over https only")
        if not (self.key and self.key.isascii() and self.key.isprintable() and " " not in self.key):
            raise UnusableTarget("the key holds characters that no key has")
        return f"Bearer {self.key}"

"""The four roles of a member, in order; each may do all that the ones before it may."""

from enum import StrEnum


class Role(StrEnum):
    """What a member may do in a workspace."""

    READER = "reader"
    CURATOR = "curator"
    EDITOR = "editor"
    ADMIN = "admin"

    @property
    def explanation(self) -> str:
        """What the role may do, in one sentence for the people page."""
        return _EXPLANATIONS[self]

    def covers(self, needed: "Role") -> bool:
        """True when this role may do what `needed` may do."""
        ranks = list(Role)
        return ranks.index(self) >= ranks.index(needed)


_EXPLANATIONS = {
    Role.READER: "Reads everything in the workspace and downloads exports.",
    Role.CURATOR: "Also imports lists and starts checks.",
    Role.EDITOR: "Also decides in the review queue (accept, override, drop), and edits the workspace's own rules.",
    Role.ADMIN: "Also edits people, keeps the keys of search providers, and marks sources retracted.",
}


class Clearance(StrEnum):
    """Up to which label a member reads; the labels themselves are the lineage's (`lineage.core.relations.Label`)."""

    PUBLIC = "public"
    INTERNAL = "internal"
    CONFIDENTIAL = "confidential"
    RESTRICTED = "restricted"

    @property
    def level(self) -> int:
        """0 for public to 3 for restricted."""
        return list(Clearance).index(self)

    @property
    def explanation(self) -> str:
        """What a member with it reads, in one sentence for the people page."""
        return _CLEARED[self]


_CLEARED = {
    Clearance.PUBLIC: "Reads only what is public; all else is to them as if it did not exist.",
    Clearance.INTERNAL: "Reads what is public or internal.",
    Clearance.CONFIDENTIAL: "Reads everything but what is restricted.",
    Clearance.RESTRICTED: "Reads everything in the workspace.",
}

"""ChangeSets: who changed what, when, why and through which door; the audit trail and the undo of the product."""

"""Web helpers and the outbound HTTP client. A leaf: it knows nothing of accounts or of any app."""

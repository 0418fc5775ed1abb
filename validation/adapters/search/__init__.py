"""Web searches, one file a provider."""

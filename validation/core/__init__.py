"""Pure Python: what an answer of the network means. No Django, no Celery, no HTTP client."""

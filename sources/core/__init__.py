"""Pure Python: the words, identities and rules of the registry. No Django, no Celery, no network."""

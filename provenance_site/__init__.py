"""The site: wiring (settings, urls, celery) and the frame that the apps stand on (accounts, jobs, changes, kit)."""

# Celery's rule: the project package must import its app, or `shared_task` in the web process sends to amqp://localhost.
from provenance_site.celery import app as celery_app

__all__ = ["celery_app"]

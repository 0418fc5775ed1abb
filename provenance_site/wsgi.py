"""WSGI entry point for waitress and gunicorn."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "provenance_site.settings")

application = get_wsgi_application()

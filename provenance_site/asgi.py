"""ASGI entry point, for installations that prefer an ASGI server; no page needs one."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "provenance_site.settings")

application = get_asgi_application()

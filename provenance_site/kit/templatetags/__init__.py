"""The kit's words for templates: `{% load desk %}`."""

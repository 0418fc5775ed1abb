"""Fields of a source in words, for previews and histories."""

from typing import Any

from sources.models import Source

_WORDS = {
    "author_list": "Authors, structured",
    "published_date": "Published",
    "disposition": "Standing",
    "decided": "Decision",
}
_LONGEST = 300
_CHOICES = {
    column.name: {str(value): str(label) for value, label in column.flatchoices}
    for column in Source._meta.concrete_fields
    if column.choices
}


def words_of(name: str) -> str:
    """The field's name as people read it."""
    return _WORDS.get(name, name.replace("_", " ").capitalize())


def shown_value(name: str, value: Any) -> str:
    """A value as people read it; '' for nothing. At most 300 characters."""
    text = _in_words(name, value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _in_words(name: str, value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case None:
            return ""
        case list():
            return ", ".join(_in_words("", one) for one in value)
        case dict():
            return "; ".join(f"{key.replace('_', ' ')}: {_in_words('', one)}" for key, one in value.items() if one)
        case _ if name in _CHOICES:
            return _CHOICES[name].get(str(value), str(value)).replace("_", " ")
        case _:
            return str(value)

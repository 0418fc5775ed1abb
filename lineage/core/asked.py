"""What a person asks about, as it came through an address, a form or a line of a command."""

from lineage.core import refs
from lineage.core.refs import BadRef


def normal(text: str) -> str:
    """The ref in its normal form where the text can be read as one, else the text as it is: it names nothing then.

    Never raises: whoever looks it up finds nothing for a slip just as for what is not there.
    """
    text = text.strip().encode("utf-8", "replace").decode()
    try:
        return str(refs.read(text, lenient=True))
    except BadRef:
        return text[: refs.LONGEST]

"""What Zotero's own exports share: types of items, and which of them are no works."""

CSL_TYPES = {
    "artwork": "graphic", "audioRecording": "song", "bill": "bill", "blogPost": "post-weblog", "book": "book",
    "bookSection": "chapter", "case": "legal_case", "computerProgram": "software",
    "conferencePaper": "paper-conference",
    "dataset": "dataset", "dictionaryEntry": "entry-dictionary", "document": "document",
    "email": "personal_communication",
    "encyclopediaArticle": "entry-encyclopedia", "film": "motion_picture", "forumPost": "post", "hearing": "hearing",
    "instantMessage": "personal_communication", "interview": "interview", "journalArticle": "article-journal",
    "letter": "personal_communication", "magazineArticle": "article-magazine", "manuscript": "manuscript", "map": "map",
    "newspaperArticle": "article-newspaper", "patent": "patent", "podcast": "song", "preprint": "article",
    "presentation": "speech", "radioBroadcast": "broadcast", "report": "report", "standard": "standard",
    "statute": "legislation", "thesis": "thesis", "tvBroadcast": "broadcast", "videoRecording": "motion_picture",
    "webpage": "webpage",
}  # fmt: skip
NOT_WORKS = frozenset({"attachment", "note", "annotation"})
_NO_WORK = "This is {what} of another item, no work of its own. There is nothing to do."


def no_work(kind: str) -> str:
    """Why an attachment, note or annotation makes no source."""
    return _NO_WORK.format(what={"attachment": "an attachment", "annotation": "an annotation"}.get(kind, "a note"))

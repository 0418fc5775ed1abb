"""Bytes to text: the charset a page says it has, or the one it shows, and never a replacement character for a letter.

Order after the WHATWG encoding standard: byte order mark, HTTP header, `<meta>`, then the bytes themselves. A single
stray byte in UTF-8 is read as Windows-1252, as browsers and readers would, so a Latin-1 page keeps its accents.
"""

import codecs
import re

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_HEADER_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([A-Za-z0-9_.:\-]{2,40})""", re.IGNORECASE)
_META_CHARSET = re.compile(rb"""<meta\b[^>]{0,300}?charset\s*=\s*["']?\s*([A-Za-z0-9_.:\-]{2,40})""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""^\s*<\?xml\b[^>]{0,100}?encoding\s*=\s*["']([A-Za-z0-9_.:\-]{2,40})["']""")
_LANG = re.compile(rb"""<html\b[^>]{0,500}?\blang\s*=\s*["']?([A-Za-z]{2})""", re.IGNORECASE)
_META_REACH = 4_096
_SHORT = 1_024
# The label that servers write and the superset that they mean (WHATWG encoding standard, names and labels).
_MEANT = {
    "iso-8859-1": "cp1252",
    "latin-1": "cp1252",
    "latin1": "cp1252",
    "ascii": "cp1252",
    "us-ascii": "cp1252",
    "iso-8859-9": "cp1254",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb_2312-80": "gb18030",
    "shift_jis": "cp932",
    "x-sjis": "cp932",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "big5": "big5hkscs",
    "utf8": "utf-8",
    "unicode": "utf-8",
}
# Tried in this order for a page that names no charset and is not UTF-8, by the language it says it is in.
_BY_LANGUAGE = {
    "ru": ("cp1251", "koi8_r"),
    "uk": ("cp1251", "koi8_u"),
    "bg": ("cp1251",),
    "sr": ("cp1251", "cp1250"),
    "ja": ("cp932", "euc_jp"),
    "zh": ("gb18030", "big5hkscs"),
    "ko": ("cp949",),
    "pl": ("iso8859_2", "cp1250"),
    "cs": ("cp1250", "iso8859_2"),
    "sk": ("cp1250",),
    "hu": ("cp1250", "iso8859_2"),
    "tr": ("cp1254",),
    "el": ("cp1253",),
    "he": ("cp1255",),
    "ar": ("cp1256",),
    "th": ("cp874",),
}
# What a byte that is no UTF-8 becomes: surrogateescape marks it U+DC80 to U+DCFF, this table reads the mark.
_STRAY = {
    0xDC00 + byte: bytes([byte]).decode("cp1252", errors="ignore") or bytes([byte]).decode("latin-1")
    for byte in range(0x80, 0x100)
}
_STRAYS = re.compile("[\udc80-\udcff]")
_ASCII = bytes(range(0x80))
# Python also knows codecs that are no charsets (rot13, idna, unicode_escape); these may decode a page.
_CHARSETS = re.compile(
    r"utf-8|cp125\d|cp8\d\d|cp9\d\d|iso8859-\d+|koi8-[rut]|gb18030|gbk|big5(?:hkscs)?|euc_kr|shift_jis|euc_j\w+|iso2022_jp|mac-\w+"
)
# A page whose bytes above 0x7F are mostly no UTF-8 is in another charset; fewer are slips in a UTF-8 page.
_MOSTLY = 0.5


def decode_body(body: bytes, content_type: str = "") -> tuple[str, str]:
    """The text of `body` and the charset it was read in. `content_type` is the HTTP header's value, '' where none.

    Never raises; a byte order mark is not part of the text. A wrong label (UTF-8 said, Latin-1 sent) is seen through.
    """
    for mark, charset in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(charset, errors="replace"), charset
    said = _declared(body, content_type)
    for charset in (said, "utf-8"):
        text = _strictly(body, charset) if charset else None
        if text is not None:
            return text, charset
    if said and said != "utf-8":
        return body.decode(said, errors="surrogateescape").translate(_STRAY), said
    text = body.decode("utf-8", errors="surrogateescape")
    if len(_STRAYS.findall(text)) <= _MOSTLY * len(body.translate(None, _ASCII)):
        return text.translate(_STRAY), "utf-8"
    for charset in _by_language(body):
        guess = _strictly(body, charset)
        if guess is not None:
            return guess, charset
    return body.decode("cp1252", errors="surrogateescape").translate(_STRAY), "cp1252"


def _strictly(body: bytes, charset: str) -> str | None:
    """The text where the bytes fit the charset; a last character cut in two by a long body's cap is forgiven."""
    try:
        return codecs.getincrementaldecoder(charset)().decode(body, final=len(body) < _SHORT)
    except (UnicodeError, LookupError):
        return None


def _declared(body: bytes, content_type: str) -> str:
    head = body[:_META_REACH]
    in_header = _HEADER_CHARSET.search(content_type)
    label = in_header.group(1) if in_header else ""
    if not label:
        found = _XML_ENCODING.search(head) or _META_CHARSET.search(head)
        label = found.group(1).decode("ascii", errors="ignore") if found else ""
    label = _MEANT.get(label.lower(), label.lower())
    if label.startswith(("utf-16", "utf-32")):
        return "utf-8"  # a label in ASCII bytes cannot be true (WHATWG encoding sniffing, step for meta)
    try:
        name = codecs.lookup(label).name if label else ""
    except LookupError:
        return ""
    return name if _CHARSETS.fullmatch(name) else ""


def _by_language(body: bytes) -> tuple[str, ...]:
    found = _LANG.search(body[:_META_REACH])
    return _BY_LANGUAGE.get(found.group(1).decode("ascii").lower(), ()) if found else ()

"""Removes one content encoding under a cap: a megabyte of gzip can hold a gigabyte.

Only what the request offered is decoded (gzip and deflate), only once, and never further than the cap.
"""

import zlib
from collections.abc import Callable

_GZIP_MAGIC = b"\x1f\x8b"
# So many first bytes are held back, by coding, until it is clear what the body is.
_HEAD = {"": 0, "gzip": len(_GZIP_MAGIC), "deflate": 64}
_PDF_MARK, _PDF_REACH = b"%PDF-", 1_024
_PROBE_OUTPUT = 64 * 1024
_GZIP = frozenset({"gzip", "x-gzip"})
# Codings that were not offered and that we cannot undo. Other words in the header (`utf-8`, `none`) are mistakes of the
# server about a plain body.
_FOREIGN = frozenset({"br", "zstd", "compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip", "aes128gcm", "lzma"})


class Undecodable(Exception):
    """The body cannot be decoded; the message says why, in words for a person."""


class BodyReader:
    """Collects a body chunk by chunk.

    `max_raw` and `max_body` bound what is taken in and what comes out, in bytes. `body` is what was
    decoded so far, at most `max_body` bytes; of a PDF that comes unpacked at most `max_document`, since half a PDF
    cannot be opened. Once `truncated`, a cap was passed and further chunks are not needed.
    """

    def __init__(
        self,
        content_encoding: str,
        *,
        max_raw: int,
        max_body: int,
        max_document: int = 0,
        sink: Callable[[bytes], object] | None = None,
    ) -> None:
        """`sink` takes the decoded bytes as they come, and `body` stays empty. Raises Undecodable for more than one
        coding, or one that was not offered."""
        self._sink = sink
        self._coding = _coding(content_encoding)
        self._max_raw = max_raw
        self._max_body = max_body
        self._max_document = max_document
        self._taken = 0
        self._held = b""  # first bytes, until they show what the body really is
        self._inflate: zlib._Decompress | None = None
        self._parts: list[bytes] = []
        self._size = 0
        self._started = False
        self.truncated = False

    @property
    def body(self) -> bytes:
        """The decoded bytes so far."""
        return b"".join(self._parts)

    def feed(self, chunk: bytes) -> None:
        """Takes the next bytes from the network. Raises Undecodable where they are damaged."""
        if not self._taken and not self._coding and _PDF_MARK in chunk[:_PDF_REACH]:
            self._max_raw = self._max_body = max(self._max_raw, self._max_document)
        room = self._max_raw - self._taken
        if len(chunk) > room:
            chunk, self.truncated = chunk[:room], True
        self._taken += len(chunk)
        if not self._started:
            self._held += chunk
            if len(self._held) < _HEAD[self._coding] and not self.truncated:
                return
            chunk = self._start()
        self._decode(chunk)

    def finish(self) -> None:
        """Says that the body is complete. A compressed body that ends too early keeps what it gave."""
        if not self._started:
            self._decode(self._start())

    def _start(self) -> bytes:
        """Decides by the first bytes how to decode, whatever the header says, and gives them back."""
        self._started = True
        head, self._held = self._held, b""
        if self._coding == "gzip" and head.startswith(_GZIP_MAGIC):
            self._inflate = zlib.decompressobj(wbits=31)
        elif self._coding == "deflate" and _is_zlib(head):
            self._inflate = zlib.decompressobj(wbits=15)
        elif self._coding == "deflate" and _is_raw_deflate(head):
            self._inflate = zlib.decompressobj(wbits=-15)
        return head

    def _decode(self, chunk: bytes) -> None:
        if self._inflate is None:
            self._keep(chunk)
            return
        while chunk and not self.truncated:
            try:
                # One byte more than there is room for: its arrival shows that something is left.
                self._keep(self._inflate.decompress(chunk, self._max_body - self._size + 1))
            except zlib.error:
                raise Undecodable("the compressed body is damaged") from None
            chunk = self._inflate.unconsumed_tail
            if self._inflate.eof:
                # RFC 1952, 2.2: a gzip body may be several members. Anything else behind the end is dropped.
                chunk = self._inflate.unused_data if self._coding == "gzip" else b""
                if not chunk.startswith(_GZIP_MAGIC):
                    return
                self._inflate = zlib.decompressobj(wbits=31)

    def _keep(self, data: bytes) -> None:
        room = self._max_body - self._size
        if len(data) > room:
            data, self.truncated = data[:room], True
        self._size += len(data)
        if self._sink is not None:
            self._sink(data)
        else:
            self._parts.append(data)


def _coding(header: str) -> str:
    codings = [word.strip().lower() for word in header.split(",")]
    known = [word for word in codings if word in _GZIP or word == "deflate" or word in _FOREIGN]
    if len(known) > 1:
        raise Undecodable("the body is encoded more than once")
    if not known:
        return ""
    if known[0] in _FOREIGN:
        raise Undecodable(f"the body has the encoding {known[0]}, which was not asked for")
    return "gzip" if known[0] in _GZIP else "deflate"


def _is_zlib(head: bytes) -> bool:
    """RFC 1950, 2.2: method 8, and the two first bytes are a multiple of 31."""
    return head[:1] != b"" and head[0] & 0x0F == 8 and int.from_bytes(head[:2], "big") % 31 == 0


def _is_raw_deflate(head: bytes) -> bool:
    """True when `head` may begin a bare deflate stream (servers send one for `deflate` against RFC 9110, 8.4.1.2).

    A plain text under a wrong label may by chance decode too; unlike compressed bytes it holds no control characters.
    """
    if not any(byte < 9 or 13 < byte < 32 for byte in head) and _is_utf8(head):
        return False
    try:
        zlib.decompressobj(wbits=-15).decompress(head, _PROBE_OUTPUT)
    except zlib.error:
        return False
    return True


def _is_utf8(head: bytes) -> bool:
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as problem:
        return problem.reason == "unexpected end of data"
    return True

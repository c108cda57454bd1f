"""The body of an answer, unpacked within a limit while it arrives: a megabyte of gzip can be a gigabyte of text."""

from __future__ import annotations

import zlib

from ._errors import NetworkError
from ._models import Malformed

MAX_BODY_BYTES = 32 * 1024 * 1024
"""Several times what the longest page and the results of the largest batch need."""


class Body:
    """Collects a body. What is received and what it unpacks to have the same limit."""

    def __init__(self, encoding: str, limit: int = MAX_BODY_BYTES) -> None:
        """`encoding` is the header `Content-Encoding`. Errors: `Malformed` for one that no request asks for."""
        encoding = encoding.strip().lower()
        if encoding not in ("", "identity", "gzip", "x-gzip"):
            raise Malformed(f"its body is encoded as {encoding[:40]!r}, which was not asked for")
        # 16 asks for the header and the checksum of gzip.
        self._gzip = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS) if "gzip" in encoding else None
        self._limit = limit
        self._received = 0
        self._content = bytearray()

    def add(self, part: bytes) -> None:
        """Adds what was received. Errors: `Malformed` beyond the limit; `NetworkError` for bytes that are not gzip."""
        self._received += len(part)
        if self._gzip is None:
            self._content += part
        else:
            try:
                # One byte more than allowed shows that there is more.
                self._content += self._gzip.decompress(part, self._limit + 1 - len(self._content))
            except zlib.error as error:
                raise NetworkError("the body is not gzip, although its header says so") from error
        if max(self._received, len(self._content)) > self._limit:
            raise Malformed(f"its body has more than {self._limit // 1024**2} MiB")

    def end(self) -> bytes:
        """The whole body. Errors: `NetworkError` for one that ends too early."""
        if self._gzip is not None and self._received and not self._gzip.eof:
            raise NetworkError("the body ended too early")
        return bytes(self._content)

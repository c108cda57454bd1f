"""Answers of a hostile or broken server: what they unpack to has a limit, and what was not asked for is refused."""

from __future__ import annotations

import functools
import gzip
import json
import tracemalloc
import zlib
from itertools import repeat
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from fake import ITEM_ID, item_json

from countersign import NetworkError, RetryPolicy, UnexpectedAnswer
from countersign._body import MAX_BODY_BYTES, Body
from countersign._models import Malformed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fake import FakeService

    from countersign import Countersign

    Make = Callable[..., tuple[Countersign, FakeService]]

MIB = 1024**2
ITEM = json.dumps(item_json()).encode()


class Stream(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body as it arrives from a network."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        self._parts = parts

    def __iter__(self) -> Any:
        yield from self._parts

    async def __aiter__(self) -> Any:
        for part in self._parts:
            yield part


def arriving(*parts: bytes, encoding: str = "gzip", status: int = 200) -> Callable[[httpx.Request], httpx.Response]:
    headers = {"content-encoding": encoding, "x-request-id": "r-1"}
    return lambda _: httpx.Response(status, headers=headers, stream=Stream(parts))


@functools.cache
def bomb(mib: int) -> bytes:
    """About a thousandth of what it unpacks to."""
    packer = zlib.compressobj(9, wbits=31)
    return b"".join([*(packer.compress(bytes(MIB)) for _ in range(mib)), packer.flush()])


@pytest.mark.parametrize("encoding", ["gzip", "X-GZIP", "identity", ""])
def test_reads_what_was_asked_for(client: Make, encoding: str) -> None:
    packed = gzip.compress(ITEM) if "gzip" in encoding.lower() else ITEM
    api, service = client(arriving(*(packed[at : at + 7] for at in range(0, len(packed), 7)), encoding=encoding))
    assert api.item(ITEM_ID).id == ITEM_ID
    assert service.header("accept-encoding") == ["gzip"]


@pytest.mark.parametrize("status", [200, 502])
@pytest.mark.parametrize("kind", ["gzip", "identity", "behind the end"])
def test_a_body_beyond_the_limit_is_refused_at_once(client: Make, kind: str, status: int) -> None:
    many = MAX_BODY_BYTES // MIB + 1
    parts: dict[str, Iterable[bytes]] = {
        "gzip": [bomb(many)],
        "identity": repeat(bytes(MIB), many),
        "behind the end": [gzip.compress(ITEM), *repeat(bytes(MIB), many)],
    }
    encoding = "identity" if kind == "identity" else "gzip"
    api, service = client(arriving(*parts[kind], encoding=encoding, status=status))
    with pytest.raises(UnexpectedAnswer, match="more than 32 MiB") as raised:
        api.submit(input=1, suggestion=2, confidence=0.5, idempotency_key="k")
    assert (raised.value.status, raised.value.request_id, raised.value.idempotency_key) == (status, "r-1", "k")
    assert len(service.requests) == 1


def test_a_bomb_takes_no_more_memory_than_the_limit() -> None:
    packed = bomb(64)
    body = Body("gzip", 2 * MIB)
    tracemalloc.start()
    try:
        with pytest.raises(Malformed):
            body.add(packed)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10 * MIB


@pytest.mark.parametrize("encoding", ["br", "zstd", "deflate", "gzip, gzip", "g" * 9999])
def test_what_was_not_asked_for_is_refused(client: Make, encoding: str) -> None:
    api, service = client(arriving(ITEM, encoding=encoding))
    with pytest.raises(UnexpectedAnswer, match="not asked for") as raised:
        api.item(ITEM_ID)
    assert len(service.requests) == 1
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize(
    ("parts", "words"),
    [([b"<html>no gzip</html>"], "not gzip"), ([gzip.compress(ITEM)[:-9]], "ended too early")],
)
def test_a_body_that_is_broken_is_asked_for_again(client: Make, parts: list[bytes], words: str) -> None:
    api, service = client(arriving(*parts), arriving(gzip.compress(ITEM)))
    assert api.item(ITEM_ID).id == ITEM_ID
    assert len(service.requests) == 2
    api, _ = client(arriving(*parts), retry=RetryPolicy(tries=1))
    with pytest.raises(NetworkError, match=words):
        api.item(ITEM_ID)


def test_an_empty_body_needs_no_gzip(client: Make) -> None:
    api, _ = client(arriving(status=502), retry=RetryPolicy(tries=1))
    with pytest.raises(Exception, match="502 without a reason"):
        api.item(ITEM_ID)


def test_a_body_without_output_ends_at_the_time_limit(client: Make, clock: Any) -> None:
    def name() -> Iterable[bytes]:
        """The header of a gzip file whose name has no end: nothing is unpacked meanwhile."""
        yield b"\x1f\x8b\x08\x08\0\0\0\0\0\xff"
        while True:
            clock.now += 1
            yield b"n"

    api, _ = client(
        lambda _: httpx.Response(200, headers={"content-encoding": "gzip"}, stream=Stream(name())),
        retry=RetryPolicy(tries=1),
        timeout=5,
    )
    with pytest.raises(NetworkError, match="no complete answer within 5 s"):
        api.item(ITEM_ID)

"""Verifies webhooks: signature, freshness and rotation of secrets, without any web framework.

```python
event = countersign.webhooks.verify(body, headers, secret)   # raises SignatureInvalid
```
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import time
from typing import TYPE_CHECKING, Any, Protocol

from ._errors import SignatureInvalid
from ._models import Event, Malformed, read_event
from ._wire import decode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["TOLERANCE_SECONDS", "verify", "verify_django", "verify_flask", "verify_starlette"]

TOLERANCE_SECONDS = 300
"""How far `webhook-timestamp` may be from now, in both directions."""

_PLAIN = ("x-webhook-signature", "x-webhook-signature-secondary")
_HEX = re.compile(r"[0-9a-f]{64}")
# 32 bytes in canonical base64: the two spare bits of the last letter are zero.
_STANDARD = re.compile(r"v1,([A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=)")
_ID = re.compile(r"[\x21-\x7e]{1,256}")
_TIMESTAMP = re.compile(r"[0-9]{1,12}")


def verify(
    body: bytes,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance: float = TOLERANCE_SECONDS,
    require_timestamp: bool = False,
    now: float | None = None,
) -> Event:
    """The event of a genuine and fresh webhook.

    Two schemes sign every webhook of Countersign: `x-webhook-signature` (HMAC-SHA256 of the body, in hex)
    and Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`). At least one must be
    there, and each that is there must hold.

    Args:
        body: The bytes as they arrived, before any JSON parsing.
        headers: The headers of the request; their names may be in any case.
        secret: `whsec_...`, exactly as it was shown; or several of them, of which one must hold.
        tolerance: Seconds that the timestamp may be from now.
        require_timestamp: Refuse a webhook without the headers of Standard Webhooks.
        now: Unix seconds, for tests.

    A webhook may arrive twice: ignore an `event.id` that you have used. One with the hex signature alone
    has no time, and its `event.id` is made from its body. So who has recorded a webhook can send it again
    without the other headers, at any time and with another ID. To be safe from that, pass
    `require_timestamp=True`, or ignore each `event.decision.id` that you have used.

    Errors: `SignatureInvalid`: answer with 400 or 401, and do not use the body.
    """
    if not isinstance(body, bytes):
        # Parsed and written again, it would be other bytes than those that were signed.
        raise TypeError("Pass the body as the bytes that arrived, before any parsing.")
    secrets = _checked([secret] if isinstance(secret, str) else secret)
    given = {name.lower(): value for name, value in headers.items()}
    hexes = [given[name] for name in _PLAIN if name in given]
    standard = given.get("webhook-signature")
    if not hexes and standard is None:
        raise SignatureInvalid("The webhook has no signature.")
    if require_timestamp and standard is None:
        raise SignatureInvalid("The webhook has no webhook-signature and so no time.")
    if hexes and not _any_holds(_hex_signatures(hexes), [_hmac(key.encode(), body) for key in secrets]):
        raise SignatureInvalid("x-webhook-signature does not match the body.")
    if standard is not None:
        signed = _signed(given, body, time.time() if now is None else now, tolerance)
        expected = [_hmac(_standard_key(key), signed) for key in secrets]
        if not _any_holds(_standard_signatures(standard), expected):
            raise SignatureInvalid("webhook-signature does not match the body.")
    return _event(body, given.get("webhook-id") if standard is not None else None)


def _checked(secrets: Sequence[str]) -> list[str]:
    """The secrets. Errors: `ValueError` for none, or an empty one, which anybody could sign with."""
    if not secrets or any(not isinstance(one, str) or not _key(one) for one in secrets):
        raise ValueError("Pass the signing secret of the project, whsec_..., as its page has shown it.")
    return list(secrets)


def _key(secret: str) -> bytes:
    try:
        return _standard_key(secret)
    except binascii.Error:
        return b""


def _standard_key(secret: str) -> bytes:
    """Standard Webhooks sign with the bytes behind `whsec_`; any other secret counts by its own bytes."""
    if secret.startswith("whsec_"):
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    return secret.encode()


def _signed(headers: Mapping[str, str], body: bytes, now: float, tolerance: float) -> bytes:
    id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not _ID.fullmatch(id) or not _TIMESTAMP.fullmatch(timestamp):
        raise SignatureInvalid("The webhook lacks webhook-id or webhook-timestamp, or has one that is malformed.")
    if abs(now - int(timestamp)) > tolerance:
        raise SignatureInvalid(f"The webhook is not from the last {tolerance:g} s: check the clock.")
    return f"{id}.{timestamp}.".encode() + body


def _hmac(key: bytes, signed: bytes) -> bytes:
    return hmac.new(key, signed, hashlib.sha256).digest()


def _hex_signatures(values: Iterable[str]) -> list[bytes]:
    return [bytes.fromhex(value) for value in values if _HEX.fullmatch(value)]


def _standard_signatures(header: str) -> list[bytes]:
    found = [_STANDARD.fullmatch(one) for one in header.split(" ")]
    return [base64.b64decode(one[1]) for one in found if one is not None]


def _any_holds(given: list[bytes], expected: list[bytes]) -> bool:
    """Compares all of them, each in constant time."""
    results = [hmac.compare_digest(one, other) for one in given for other in expected]
    return any(results)


def _event(body: bytes, id: str | None) -> Event:
    try:
        return read_event(decode(body), id=id or f"sha256:{hashlib.sha256(body).hexdigest()}")
    except (Malformed, ValueError, RecursionError) as error:
        # It was signed, so this is another sender with the same secret.
        raise SignatureInvalid(f"The body is not an event of Countersign: {error}") from None


class _StarletteRequest(Protocol):
    @property
    def headers(self) -> Mapping[str, str]: ...
    async def body(self) -> bytes: ...


class _FlaskRequest(Protocol):
    @property
    def headers(self) -> Any: ...
    def get_data(self) -> bytes: ...


class _DjangoRequest(Protocol):
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def body(self) -> bytes: ...


async def verify_starlette(request: _StarletteRequest, secret: str | Sequence[str], **options: Any) -> Event:
    """Verifies a request of FastAPI or Starlette; `options` and errors as of `verify`."""
    return verify(await request.body(), request.headers, secret, **options)


def verify_flask(request: _FlaskRequest, secret: str | Sequence[str], **options: Any) -> Event:
    """Verifies a request of Flask; `options` and errors as of `verify`."""
    return verify(request.get_data(), dict(request.headers), secret, **options)


def verify_django(request: _DjangoRequest, secret: str | Sequence[str], **options: Any) -> Event:
    """Verifies a request of Django; `options` and errors as of `verify`. Exempt the view from CSRF checks."""
    return verify(request.body, request.headers, secret, **options)

"""Requests and answers as data: JSON, headers, and errors from refusals. Sends nothing."""

from __future__ import annotations

import json
import re
import uuid
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlencode

from ._errors import ApiError, FieldError, UnexpectedAnswer, api_error_class
from ._models import Malformed, read_submitted
from ._retry import retry_after_seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ._models import Submitted

R = TypeVar("R")

PREFIX = "/api/public"
# A space at an end would be lost: HTTP trims the values of headers.
_IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_CODE = re.compile(r"[a-z0-9_]{1,64}")
_REQUEST_ID = re.compile(r"[\w-]{1,64}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Request:
    """One request to the public API; the same object is sent on every try of a call."""

    method: str
    path: str
    query: Mapping[str, str | int] = field(default_factory=dict[str, "str | int"])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes | None = None
    wait: int = 0
    """Seconds that the service is asked to wait before it answers."""
    idempotency_key: str | None = None

    def url(self, base: str) -> str:
        """The address of the request."""
        query = urlencode(self.query)
        return f"{base}{PREFIX}{self.path}{'?' if query else ''}{query}"

    def all_headers(self, api_key: str) -> dict[str, str]:
        """The headers of the request, with the key."""
        # gzip alone: it is what `Body` unpacks.
        own = {"accept": "application/json", "accept-encoding": "gzip", "x-api-key": api_key}
        headers = {**own, **self.headers}
        if self.body is not None:
            headers["content-type"] = "application/json"
        if self.idempotency_key is not None:
            headers["idempotency-key"] = self.idempotency_key
        return headers


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with its whole body. The names of `headers` are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes
    idempotency_key: str | None = None
    """That of the request."""

    @property
    def request_id(self) -> str | None:
        """Identifies the answer in the log of the service."""
        given = self.headers.get("x-request-id", "")
        return given if _REQUEST_ID.fullmatch(given) else None

    @property
    def replayed(self) -> bool:
        """Whether an earlier request with the same idempotency key had this effect."""
        return self.headers.get("idempotent-replayed") == "true"

    def submitted(self) -> Submitted:
        """The answer to a submission, with its headers. Errors: `UnexpectedAnswer`."""
        expected = self.headers.get("x-expected-wait-seconds", "")
        seconds = float(expected) if re.fullmatch(r"\d+(\.\d+)?", expected, re.ASCII) else None
        return self.read(partial(read_submitted, replayed=self.replayed, expected_wait_seconds=seconds))

    def json(self) -> Any:
        """The parsed body; None where it is not JSON."""
        try:
            return decode(self.content)
        except (ValueError, RecursionError):
            return None

    def read(self, reader: Callable[[Any], R]) -> R:
        """What `reader` makes of the body. Errors: `UnexpectedAnswer`."""
        try:
            return reader(self.json())
        except Malformed as error:
            raise self.unexpected(error) from error

    def unexpected(self, error: Malformed) -> UnexpectedAnswer:
        """The error of an answer that is not as the service answers."""
        unexpected = UnexpectedAnswer(self.status, self.request_id, str(error))
        unexpected.idempotency_key = self.idempotency_key
        return unexpected


def refusal(answer: Answer, now: float) -> ApiError | None:
    """The error that an answer is; None for a success. `now` is in Unix seconds."""
    if 200 <= answer.status < 300:
        return None
    retry_after = retry_after_seconds(answer.headers.get("retry-after"), answer.headers.get("date"), now)
    if answer.status < 400:
        place = answer.headers.get("location", "another address")
        # A key is for one address: a redirect is reported, not followed.
        return ApiError(answer.status, f"http_{answer.status}", f"The server redirects to {place}.")
    return problem_error(answer.json(), answer.status, request_id=answer.request_id, retry_after=retry_after)


def problem_error(
    data: object, status: int, *, request_id: str | None = None, retry_after: int | None = None
) -> ApiError:
    """The error of a problem (RFC 9457). Loose on purpose: proxies have their own bodies."""
    body: dict[str, Any] = data if isinstance(data, dict) else {}
    text = {name: body[name] for name in ("code", "title", "detail") if isinstance(body.get(name), str)}
    plain = f"The server answered with {status} without a reason."
    return api_error_class(status)(
        status,
        text["code"] if _CODE.fullmatch(text.get("code", "")) else f"http_{status}",
        text.get("detail", text.get("title", plain)),
        details=_details(body.get("errors")),
        request_id=request_id,
        retry_after=retry_after,
        item=_item_of(body.get("item")),
    )


def _details(data: object) -> tuple[FieldError, ...]:
    if not isinstance(data, list):
        return ()
    texts = [[one.get(name) for name in ("pointer", "code", "detail")] for one in data if isinstance(one, dict)]
    return tuple(FieldError(*map(str, one)) for one in texts if None not in one)


def _item_of(data: object) -> Any:
    try:
        return None if data is None else read_submitted(data)
    except Malformed:
        return None


def item_path(id: str | uuid.UUID) -> str:
    """The path of an item. Errors: `ValueError` for an invalid ID, which could name another path."""
    text = str(id)
    if not _UUID.fullmatch(text):
        raise ValueError("The ID of an item is a UUID, as `submit` returns it.")
    return f"/items/{text}"


def trace_header(traceparent: str | None) -> dict[str, str]:
    """The header of a trace. Errors: `ValueError` for what no header can carry."""
    if traceparent is None:
        return {}
    if not re.fullmatch(r"[\x21-\x7e]{1,255}", traceparent):
        raise ValueError("A traceparent is W3C Trace Context, such as 00-<trace ID>-<parent ID>-01.")
    return {"traceparent": traceparent}


def new_idempotency_key() -> str:
    """A key that no other call has."""
    return str(uuid.uuid4())


def checked_key(key: str | None) -> str:
    """The given key, or a new one. Errors: `ValueError` for one that no header can carry."""
    if key is None:
        return new_idempotency_key()
    if not _IDEMPOTENCY_KEY.fullmatch(key):
        raise ValueError("An idempotency key has 1 to 255 printable ASCII characters, and no space at its ends.")
    return key


def decode(text: bytes) -> Any:
    """The value of a JSON text. Errors: `ValueError`, also for NaN and Infinity; `RecursionError`."""
    return json.loads(text, parse_constant=_no_json)


def _no_json(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def encode(value: Any) -> bytes:
    """JSON as UTF-8. Errors: `ValueError` and `TypeError` for what JSON cannot hold."""
    try:
        text = json.dumps(value, default=plain, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        return text.encode()
    except RecursionError:
        raise ValueError("The value contains itself, or is nested too deep.") from None
    except UnicodeEncodeError:
        raise ValueError("A text contains half of a surrogate pair, which JSON cannot hold.") from None
    except ValueError as error:
        if str(error).startswith("Out of range float"):
            raise ValueError("JSON has no NaN and no infinity: send None or a text instead.") from None
        raise


def plain(value: Any) -> Any:
    """What JSON holds in place of a value: the fallback of `encode`. Errors: `TypeError`, `ValueError`."""
    serializer = getattr(type(value), "__pydantic_serializer__", None)
    if serializer is not None:
        return serializer.to_python(value, mode="json", by_alias=True)
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: getattr(value, one.name) for one in fields(value) if one.init}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (datetime, time)) and value.utcoffset() is None:
        # Nobody could say which moment it is, and `parse_output` would refuse it in the output.
        raise ValueError("A time needs a time zone: use datetime.now(timezone.utc) or time(..., tzinfo=timezone.utc).")
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, Decimal):
        return _number(value)
    raise TypeError(f"{type(value).__name__} cannot be sent as JSON: convert it first.")


def _number(value: Decimal) -> int | float:
    if not value.is_finite():
        return float("nan")  # `encode` says what to do
    if value == value.to_integral_value() and abs(value) < 2**53:
        return int(value)
    number = float(value)
    if Decimal(repr(number)) != value:
        raise ValueError(f"A JSON number would round the Decimal {value}: send it as a text.")
    return number

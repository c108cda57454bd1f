"""When a failed call is repeated: full-jitter backoff, never earlier than the service asks, within limits.

The rules are those of `shared/src/client/retry.ts`. Nothing here waits: the connections do.
"""

from __future__ import annotations

import math
import random
import re
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from ._errors import ApiError, NetworkError

if TYPE_CHECKING:
    from collections.abc import Callable

FOR_EVER = float("inf")
FIRST_BACKOFF = 0.25
LONGEST_BACKOFF = 15.0
LONGEST_ASKED = 3600
"""The most seconds that `Retry-After` counts for: a faulty proxy must not stop a client for years."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often a call is repeated when no answer came, and after 408, 429, 5xx and `idempotency_in_progress`."""

    tries: float = 8
    """Failed requests per call at most. 429 does not count: it is rate limiting and no failure."""
    seconds: float = 120.0
    """Seconds from the start of a call within which its last request may start; 0: never repeat."""

    def __post_init__(self) -> None:
        # Nothing exceeds a NaN, so that a call would be repeated without end.
        if math.isnan(self.tries) or math.isnan(self.seconds):
            raise ValueError("The tries and seconds of a RetryPolicy must be numbers.")


@dataclass(frozen=True, slots=True)
class Clock:
    """Time and randomness of a client; tests replace them."""

    monotonic: Callable[[], float] = time.monotonic
    """Seconds that only increase."""
    time: Callable[[], float] = time.time
    """Unix seconds."""
    random: Callable[[], float] = random.random
    """From 0 to below 1."""


class Pause:
    """Until when all calls of a client wait: the rate limits are per key, and a client has one."""

    def __init__(self) -> None:
        self.until = -FOR_EVER

    def extend(self, until: float) -> None:
        """Lengthens the pause, and never shortens it."""
        self.until = max(self.until, until)


class Attempts:
    """The requests of one call: says how long to wait before the next one, and when to give up."""

    def __init__(self, policy: RetryPolicy, clock: Clock, pause: Pause) -> None:
        self._policy = policy
        self._clock = clock
        self._pause = pause
        self._deadline = clock.monotonic() + policy.seconds
        self._due = -FOR_EVER
        self._failures = 0
        self._last: ApiError | NetworkError | None = None
        self.tries = 1

    def delay(self) -> float:
        """Seconds until the next request may start, 0 at once.

        Call it again after that wait: other calls may have lengthened the pause. When the wait would exceed
        the limit of the call, raises its last error, or before its first request a `NetworkError`.
        """
        until = max(self._due, self._pause.until)
        now = self._clock.monotonic()
        if until <= now:
            return 0.0
        if until >= self._deadline:
            raise self._last or _not_sent(until - now)
        return until - now

    def failed(self, error: ApiError | NetworkError) -> float:
        """Notes that a request failed; returns the seconds until the next. Raises `error` when there is none."""
        error.tries = self.tries
        limited = isinstance(error, ApiError) and error.status == 429
        asked = error.retry_after if isinstance(error, ApiError) else None
        self._failures += not limited
        ceiling = min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** min(self.tries - 1, 30))
        wait: float = (asked or 0) + self._clock.random() * ceiling
        now = self._clock.monotonic()
        self._due = now + wait
        if not error.temporary or self._failures >= self._policy.tries or self._due >= self._deadline:
            raise error
        self._last = error
        self.tries += 1
        if limited:
            self._pause.extend(self._due if asked is None else now + asked)
        elif asked is not None and isinstance(error, ApiError) and error.status >= 500:
            self._pause.extend(now + asked)
        return wait


def _not_sent(seconds: float) -> NetworkError:
    error = NetworkError(f"it asked to wait {seconds:.0f} s, which is longer than this call may wait")
    error.tries = 0
    return error


def retry_after_seconds(value: str | None, date: str | None, now: float) -> int | None:
    """The seconds that `Retry-After` asks for, at most an hour; None where it is absent or unreadable.

    A date is measured by the `Date` of the answer, so that a wrong local clock causes no early repeat;
    without one, by `now` (Unix seconds).
    """
    text = (value or "").strip()
    if re.fullmatch(r"\d{1,12}", text, re.ASCII):
        return min(int(text), LONGEST_ASKED)
    until = _http_date(text)
    if until is None:
        return None
    since = _http_date(date or "")
    return min(max(0, math.ceil(until - (now if since is None else since))), LONGEST_ASKED)


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DATE = re.compile(r"[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT", re.ASCII)


def _http_date(text: str) -> float | None:
    """Unix seconds of the one format that servers may send (RFC 9110, 5.6.7)."""
    found = _DATE.fullmatch(text)
    if found is None or found[2] not in _MONTHS:
        return None
    month = _MONTHS.index(found[2]) + 1
    day, year, hour, minute, second = (int(found[place]) for place in (1, 3, 4, 5, 6))
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=timezone.utc).timestamp()
    except ValueError:
        return None  # such as the year 0

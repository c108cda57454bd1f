"""When calls are repeated, how long they wait, and when they give up: as `shared/src/client/retry.test.ts`."""

from __future__ import annotations

import itertools
import math

import pytest
from fake import FakeClock
from hypothesis import given
from hypothesis import strategies as st

from countersign import ApiError, NetworkError, RetryPolicy
from countersign._errors import CountersignError, api_error_class
from countersign._retry import Attempts, Pause, retry_after_seconds

FOR_EVER = float("inf")


def refusal(status: int, code: str = "", retry_after: int | None = None) -> ApiError:
    return api_error_class(status)(status, code or f"http_{status}", "why", retry_after=retry_after)


def run(
    errors: list[ApiError | NetworkError], clock: FakeClock, policy: RetryPolicy, pause: Pause | None = None
) -> int:
    """Runs a call that fails with these errors and then succeeds; returns the number of requests."""
    attempts = Attempts(policy, clock.clock(), pause or Pause())
    for requests in itertools.count(1):
        while (delay := attempts.delay()) > 0:
            clock.sleep(delay)
        if requests > len(errors):
            return requests
        attempts.failed(errors[requests - 1])
    raise AssertionError


@pytest.mark.parametrize(
    ("status", "code"),
    [(408, ""), (409, "idempotency_in_progress"), (429, "rate_limited"), (500, "internal"), (502, ""), (503, "")],
)
def test_retries_a_temporary_refusal(status: int, code: str, clock: FakeClock) -> None:
    assert run([refusal(status, code)], clock, RetryPolicy()) == 2


def test_retries_a_missing_answer(clock: FakeClock) -> None:
    assert run([NetworkError("a"), NetworkError("b")], clock, RetryPolicy()) == 3


@pytest.mark.parametrize(
    ("status", "code"),
    [(308, ""), (400, "invalid_json"), (401, ""), (403, ""), (404, ""), (409, "already_decided"), (413, ""), (422, "")],
)
def test_does_not_retry_a_final_refusal(status: int, code: str, clock: FakeClock) -> None:
    error = refusal(status, code, retry_after=1)
    with pytest.raises(ApiError) as raised:
        run([error], clock, RetryPolicy())
    assert raised.value is error
    assert (error.tries, clock.slept) == (1, [])


@given(st.lists(st.floats(0, 1, exclude_max=True), min_size=12, max_size=12))
def test_backs_off_with_full_jitter_up_to_15_seconds(chances: list[float]) -> None:
    clock = FakeClock()
    attempts = Attempts(RetryPolicy(tries=13, seconds=FOR_EVER), clock.clock(), Pause())
    for number, chance in enumerate(chances):
        clock.random = chance
        assert attempts.failed(refusal(500)) == pytest.approx(chance * min(15, 0.25 * 2**number))


@given(
    st.lists(
        st.tuples(st.sampled_from([409, 429, 503]), st.none() | st.integers(0, 5_000_000)), min_size=1, max_size=6
    ),
    st.floats(0, 1, exclude_max=True),
)
def test_never_waits_less_than_the_service_asks(failures: list[tuple[int, int | None]], chance: float) -> None:
    clock = FakeClock(chance)
    attempts = Attempts(RetryPolicy(tries=99, seconds=FOR_EVER), clock.clock(), Pause())
    for status, asked in failures:
        free = clock.now + (asked or 0)
        attempts.failed(refusal(status, "idempotency_in_progress" if status == 409 else "", asked))
        while (delay := attempts.delay()) > 0:
            clock.sleep(delay)
        assert clock.now >= free


@pytest.mark.parametrize(("policy", "expected"), [(RetryPolicy(), 8), (RetryPolicy(tries=3), 3), (RetryPolicy(1), 1)])
def test_gives_up_after_so_many_failures(policy: RetryPolicy, expected: int, clock: FakeClock) -> None:
    with pytest.raises(CountersignError) as raised:
        run([refusal(503)] * 99, clock, policy)
    assert raised.value.tries == expected


@pytest.mark.parametrize("numbers", [{"tries": math.nan}, {"seconds": math.nan}])
def test_refuses_what_is_no_number(numbers: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be numbers"):
        RetryPolicy(**numbers)


def test_does_not_count_429_but_gives_up_after_120_seconds(clock: FakeClock) -> None:
    clock.random = 0
    with pytest.raises(CountersignError) as raised:
        run([refusal(429, "rate_limited", 10)] * 99, clock, RetryPolicy())
    assert raised.value.tries == 12
    assert clock.slept == [10.0] * 11


def test_gives_up_at_once_when_more_time_is_asked_than_is_left(clock: FakeClock) -> None:
    with pytest.raises(CountersignError):
        run([refusal(503, "unavailable", 121)], clock, RetryPolicy())
    assert clock.slept == []


@pytest.mark.parametrize("error", [refusal(429, "", 0), refusal(503), NetworkError("x")])
def test_never_repeats_without_a_time_budget(error: ApiError | NetworkError, clock: FakeClock) -> None:
    clock.random = 0
    with pytest.raises(CountersignError) as raised:
        run([error], clock, RetryPolicy(seconds=0))
    assert raised.value.tries == 1


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (refusal(429, "", 30), 30),
        (refusal(429), 0.125),
        (refusal(503, "", 30), 30),
        (refusal(503), 0),
        (refusal(409, "idempotency_in_progress", 30), 0),
    ],
)
def test_other_calls_wait_where_the_service_asks_it(error: ApiError, expected: float, clock: FakeClock) -> None:
    pause = Pause()
    Attempts(RetryPolicy(), clock.clock(), pause).failed(error)
    assert Attempts(RetryPolicy(), clock.clock(), pause).delay() == expected


def test_a_pause_that_exceeds_the_budget_raises_the_last_error_of_the_call(clock: FakeClock) -> None:
    pause = Pause()
    attempts = Attempts(RetryPolicy(), clock.clock(), pause)
    error = refusal(503)
    attempts.failed(error)
    pause.extend(clock.now + 200)
    with pytest.raises(ApiError) as raised:
        attempts.delay()
    assert raised.value is error


def test_a_pause_beyond_the_budget_fails_a_call_before_its_first_request(clock: FakeClock) -> None:
    pause = Pause()
    pause.extend(clock.now + 200)
    with pytest.raises(NetworkError, match="asked to wait 200 s") as raised:
        Attempts(RetryPolicy(), clock.clock(), pause).delay()
    assert (raised.value.tries, raised.value.temporary) == (0, True)
    assert Attempts(RetryPolicy(seconds=201), clock.clock(), pause).delay() == 200


@pytest.mark.parametrize(
    ("value", "date", "expected"),
    [
        ("7", None, 7),
        (" 7 ", None, 7),
        ("-1", None, None),
        ("1.5", None, None),
        ("", None, None),
        (None, None, None),
        ("soon", None, None),
        ("Fri, 20 Nov 2026 14:00:20 GMT", "Fri, 20 Nov 2026 14:00:00 GMT", 20),
        ("Fri, 20 Nov 2026 14:00:20 GMT", "Fri, 20 Nov 2026 15:00:00 GMT", 0),
        ("Fri, 20 Nov 2026 14:00:20 GMT", None, 20),
        ("Fri, 20 Foo 2026 14:00:20 GMT", None, None),
        ("\u0667", None, None),
        ("3600", None, 3600),
        ("3601", None, 3600),
        ("999999999999", None, 3600),
        ("Sun, 06 Nov 9999 08:49:37 GMT", None, 3600),
        ("Sun, 00 Jan 0000 08:49:37 GMT", None, None),
        ("Sun, 99 Nov 2026 99:99:99 GMT", None, None),
        ("7", "Sun, 00 Jan 0000 08:49:37 GMT", 7),
        ("Fri, 20 Nov 2026 14:00:20 GMT", "Sun, 00 Jan 0000 08:49:37 GMT", 20),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str | None, date: str | None, expected: int | None) -> None:
    assert retry_after_seconds(value, date, 1795183200.0) == expected

"""What calls send, how they are repeated, and what they raise."""

from __future__ import annotations

import json
import logging
import math
import pickle
import uuid
from dataclasses import dataclass
from datetime import datetime, time, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from fake import DECISION, ITEM_ID, PROJECT_ID, FakeClock, item_json, ok, refused, submitted_json

import countersign
from countersign import (
    ApiError,
    ConfigurationError,
    Conflict,
    Countersign,
    NetworkError,
    RateLimited,
    RetryPolicy,
    ServiceError,
    UnexpectedAnswer,
    ValidationFailed,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fake import FakeService

    Make = Callable[..., tuple[Countersign, FakeService]]

NAN = json.dumps(submitted_json("approved", decision={**DECISION, "output": math.nan})).encode()
MINIMAL: dict[str, Any] = {"input": "q", "suggestion": "a", "confidence": 0.5}


def test_submit_sends_every_field(client: Make) -> None:
    api, service = client(ok(submitted_json("auto_approved", decision=DECISION), 201, x_expected_wait_seconds="90"))
    submitted = api.submit(
        input={"q": "Ä"},
        suggestion=None,
        confidence=0.83,
        risk_flags=["refund"],
        metadata={"model": "m"},
        answer_schema=None,
        title="A title",
        kind="answer",
        allowed_actions=["approve", "respond"],
        deadline=timedelta(hours=1),
        on_deadline="reject",
        idempotency_key="ticket 7",
        traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        wait_seconds=20,
    )
    [request] = service.requests
    assert (request.method, str(request.url)) == ("POST", "https://review.example.org/api/public/items")
    assert service.bodies() == [
        {
            "project_id": PROJECT_ID,
            "input": {"q": "Ä"},
            "suggestion": None,
            "confidence": 0.83,
            "risk_flags": ["refund"],
            "metadata": {"model": "m"},
            "answer_schema": None,
            "title": "A title",
            "kind": "answer",
            "allowed_actions": ["approve", "respond"],
            "deadline_seconds": 3600,
            "on_deadline": "reject",
        }
    ]
    sent = request.headers
    assert (sent["x-api-key"], sent["idempotency-key"], sent["prefer"]) == ("csk_test", "ticket 7", "wait=20")
    assert sent["traceparent"].startswith("00-0af7")
    assert (submitted.id, submitted.status, submitted.expected_wait_seconds) == (ITEM_ID, "auto_approved", 90)
    assert submitted.decision is not None
    assert submitted.decision.output == {"text": "Yes"}
    assert submitted.decision.decided_at == datetime(2026, 11, 27, 12, 0, 0, 123000, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("deadline", "expected"),
    [
        (timedelta(seconds=10.2), {"deadline_seconds": 11}),
        (datetime(2027, 1, 2, 3, 4, 5, tzinfo=timezone.utc), {"deadline": "2027-01-02T03:04:05.000+00:00"}),
        ("2027-01-02T03:04:05Z", {"deadline": "2027-01-02T03:04:05Z"}),
        (None, {"deadline": None}),
    ],
)
def test_a_deadline_is_a_span_or_a_time(client: Make, deadline: Any, expected: dict[str, Any]) -> None:
    api, service = client(ok(submitted_json()))
    api.submit(**MINIMAL, deadline=deadline)
    assert service.bodies() == [{"project_id": PROJECT_ID, **MINIMAL, **expected}]


@dataclass
class Order:
    number: uuid.UUID
    price: Decimal


def test_converts_common_values_to_json(client: Make) -> None:
    api, service = client(ok(submitted_json()))
    order = Order(uuid.UUID(int=7), Decimal("24.90"))
    api.submit(**{**MINIMAL, "input": {"order": order, "at": datetime(2027, 1, 2, tzinfo=timezone.utc)}})
    assert service.bodies()[0]["input"] == {
        "order": {"number": str(uuid.UUID(int=7)), "price": 24.9},
        "at": "2027-01-02T00:00:00+00:00",
    }


class _Loop(list[Any]):
    def __init__(self) -> None:
        super().__init__([self])


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"risk_flag": ["x"]}, TypeError, "risk_flag"),
        ({"input": math.nan}, ValueError, "no NaN .* send None or a text"),
        ({"confidence": math.inf}, ValueError, "no NaN .* send None or a text"),
        ({"input": [Decimal("Infinity")]}, ValueError, "no NaN .* send None or a text"),
        ({"input": Decimal("sNaN")}, ValueError, "no NaN .* send None or a text"),
        ({"input": [datetime(2027, 1, 2)]}, ValueError, r"needs a time zone: use datetime\.now"),
        ({"input": time(3, 4)}, ValueError, r"needs a time zone: use .*time\(\.\.\., tzinfo="),
        ({"input": {1, 2}}, TypeError, "set cannot be sent"),
        ({"input": "\ud800"}, ValueError, "surrogate"),
        ({"input": Decimal("0.12345678901234567890")}, ValueError, "round"),
        ({"deadline": datetime(2027, 1, 2)}, ValueError, "time zone"),
        ({"deadline": 3600}, TypeError, "timedelta"),
        ({"deadline": timedelta(hours=1), "deadline_seconds": 60}, TypeError, "deadline or deadline_seconds, not both"),
        ({"deadline": None, "deadline_seconds": 60}, TypeError, "deadline or deadline_seconds, not both"),
        ({"idempotency_key": ""}, ValueError, "printable"),
        ({"idempotency_key": "a\nb"}, ValueError, "printable"),
        ({"idempotency_key": " "}, ValueError, "no space at its ends"),
        ({"idempotency_key": "a "}, ValueError, "no space at its ends"),
        ({"idempotency_key": " a"}, ValueError, "no space at its ends"),
        ({"idempotency_key": "k" * 256}, ValueError, "1 to 255"),
        ({"traceparent": "a\r\nx: y"}, ValueError, "Trace Context"),
        ({"wait_seconds": 61}, ValueError, "60"),
    ],
)
def test_refuses_what_cannot_be_sent(client: Make, changes: dict[str, Any], error: type[Exception], words: str) -> None:
    api, service = client(ok(submitted_json()))
    with pytest.raises(error, match=words):
        api.submit(**{**MINIMAL, **changes})
    assert service.requests == []


@pytest.mark.parametrize("key", ["a", "a b", "k" * 255, "!~"])
def test_sends_any_other_key(client: Make, key: str) -> None:
    api, service = client(ok(submitted_json()))
    api.submit(**MINIMAL, idempotency_key=key)
    assert service.header("idempotency-key") == [key]


def test_a_pause_beyond_the_limit_of_a_call_fails_it_at_once(
    client: Make, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(seconds: float) -> None:
        raise InterruptedError(seconds)

    monkeypatch.setattr(clock, "sleep", interrupted)
    api, service = client(refused(429, "rate_limited", headers={"retry-after": "999999999999"}))
    with pytest.raises(InterruptedError, match=r"3600\.125"):
        api.wait(ITEM_ID)
    with pytest.raises(NetworkError, match="asked to wait 3600 s") as raised:
        api.submit(**MINIMAL, idempotency_key="k")
    assert (raised.value.tries, raised.value.idempotency_key) == (0, "k")
    with pytest.raises(countersign.WaitTimeout):
        api.wait(ITEM_ID, timeout=60)
    assert len(service.requests) == 1


def test_keeps_one_idempotency_key_and_one_body_over_all_tries(client: Make, clock: FakeClock) -> None:
    api, service = client(
        httpx.ConnectError("refused"), refused(503, "unavailable"), ok(submitted_json(), idempotent_replayed="true")
    )
    assert api.submit(**MINIMAL).replayed
    keys = service.header("idempotency-key")
    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert len({request.content for request in service.requests}) == 1
    assert clock.slept == [0.125, 0.25]
    api.submit(**MINIMAL)
    assert service.header("idempotency-key")[-1] not in keys


def test_waits_as_long_as_retry_after_asks(client: Make, clock: FakeClock) -> None:
    date, until = "Fri, 20 Nov 2026 14:00:00 GMT", "Fri, 20 Nov 2026 14:00:20 GMT"
    api, _ = client(refused(429, "rate_limited", headers={"retry-after": until, "date": date}), ok(submitted_json()))
    api.submit(**MINIMAL)
    assert clock.slept == [20.125]


def test_says_what_the_service_says(client: Make) -> None:
    fault = {"pointer": "#/confidence", "code": "too_big", "detail": "At most 1."}
    api, service = client(refused(422, "validation_failed", errors=[fault, "x"], headers={"retry-after": "7"}))
    with pytest.raises(ValidationFailed, match="validation_failed: about validation_failed") as raised:
        api.submit(**MINIMAL, idempotency_key="k")
    error = raised.value
    assert (error.status, error.code, error.request_id, error.tries) == (422, "validation_failed", "r-1", 1)
    assert (error.retry_after, error.idempotency_key, error.temporary) == (7, "k", False)
    assert [one.pointer for one in error.details] == ["#/confidence"]
    assert len(service.requests) == 1
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), copy.__dict__) == (ValidationFailed, str(error), error.__dict__)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, countersign.BadRequest),
        (401, countersign.AuthenticationError),
        (403, countersign.PermissionDenied),
        (404, countersign.NotFound),
        (409, countersign.Conflict),
        (413, countersign.PayloadTooLarge),
        (415, ApiError),
        (422, countersign.ValidationFailed),
        (429, RateLimited),
        (500, ServiceError),
        (503, ServiceError),
    ],
)
def test_every_kind_of_refusal_has_its_class(client: Make, status: int, kind: type[ApiError]) -> None:
    api, _ = client(refused(status, "a_code_of_a_newer_service"), retry=RetryPolicy(seconds=0))
    with pytest.raises(ApiError) as raised:
        api.item(ITEM_ID)
    assert type(raised.value) is kind
    assert raised.value.code == "a_code_of_a_newer_service"


@pytest.mark.parametrize(
    ("content", "detail"),
    [
        (b"<html>Bad Gateway</html>", "answered with 502 without a reason"),
        (b"[1]", "answered with 502 without a reason"),
        (b'{"code":"a\\nforged line"}', "without a reason"),
        (b'{"title":"Upstream gone","errors":{"a":1},"item":3}', "Upstream gone"),
        (b"[" * 100_000, "without a reason"),
    ],
)
def test_an_answer_of_another_server_is_an_error_of_its_own(client: Make, content: bytes, detail: str) -> None:
    api, service = client(httpx.Response(502, content=content), retry=RetryPolicy(tries=2))
    with pytest.raises(ServiceError, match=detail) as raised:
        api.item(ITEM_ID)
    assert (raised.value.code, raised.value.request_id, raised.value.tries) == ("http_502", None, 2)
    assert len(service.requests) == 2


def test_does_not_follow_a_redirect(client: Make) -> None:
    api, service = client(httpx.Response(308, headers={"location": "https://other.example.org/"}))
    with pytest.raises(ApiError, match=r"redirects to https://other\.example\.org/"):
        api.submit(**MINIMAL)
    assert len(service.requests) == 1


@pytest.mark.parametrize("content", [b"<html>Welcome</html>", b"{}", b'{"id":"x","status":"queued"}', b"", b"[1]", NAN])
def test_an_unexpected_success_is_an_error(client: Make, content: bytes) -> None:
    api, service = client(httpx.Response(200, content=content))
    with pytest.raises(UnexpectedAnswer) as raised:
        api.submit(**MINIMAL, idempotency_key="k")
    assert (len(service.requests), raised.value.idempotency_key) == (1, "k")


def test_a_newer_service_may_say_more(client: Make) -> None:
    decision = {**DECISION, "status": "approved_twice", "action": "think", "score": 1}
    api, _ = client(ok(item_json(status="pondered", decision=decision, kind="essay", more={})))
    item = api.item(ITEM_ID)
    assert (item.status, item.kind) == ("pondered", "essay")
    assert item.decision is not None
    assert (item.decision.action, item.decision.approved) == ("think", False)


def test_a_missing_answer_is_a_network_error(client: Make) -> None:
    api, _ = client(httpx.ReadTimeout("slow"), retry=RetryPolicy(tries=2), timeout=5)
    with pytest.raises(NetworkError, match="no answer within 5 s") as raised:
        api.submit(**MINIMAL, idempotency_key="k")
    assert (raised.value.tries, raised.value.idempotency_key, raised.value.status) == (2, "k", None)


def test_an_answer_that_never_ends_is_a_network_error(client: Make, clock: FakeClock) -> None:
    class Trickle(httpx.SyncByteStream, httpx.AsyncByteStream):
        def __iter__(self) -> Any:
            while True:
                clock.now += 3
                yield b" "

        async def __aiter__(self) -> Any:
            for part in self:
                yield part

    api, service = client(lambda _: httpx.Response(200, stream=Trickle()), retry=RetryPolicy(tries=1), timeout=5)
    with pytest.raises(NetworkError, match="no complete answer within 5 s"):
        api.item(ITEM_ID)
    assert len(service.requests) == 1


def test_a_wait_extends_the_time_limit(client: Make) -> None:
    api, service = client(ok(item_json()), timeout=5)
    api.item(ITEM_ID, wait_seconds=20)
    assert service.requests[0].extensions["timeout"]["read"] == 25
    assert service.requests[0].url.params["wait"] == "20"


def test_withdraw_sends_a_reason_and_says_why_it_cannot(client: Make) -> None:
    item = submitted_json("approved", decision=DECISION)
    api, service = client(
        ok(submitted_json("withdrawn")), ok(submitted_json("withdrawn")), refused(409, "already_decided", item=item)
    )
    assert api.withdraw(ITEM_ID).status == "withdrawn"
    api.withdraw(uuid.UUID(ITEM_ID), "Solved")
    assert service.bodies() == [{}, {"reason": "Solved"}]
    assert service.requests[0].url.path == f"/api/public/items/{ITEM_ID}/withdraw"
    with pytest.raises(Conflict) as raised:
        api.withdraw(ITEM_ID)
    assert raised.value.item is not None
    assert raised.value.item.status == "approved"


@pytest.mark.parametrize("id", ["", "..", "a/b", "../events", ITEM_ID + "/withdraw"])
def test_an_id_cannot_name_another_path(client: Make, id: str) -> None:
    api, service = client(ok(item_json()))
    with pytest.raises(ValueError, match="UUID"):
        api.item(id)
    assert service.requests == []


def test_logs_neither_keys_nor_content(client: Make, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    api, _ = client(refused(503, "unavailable"), ok(submitted_json(), x_request_id="r-2"))
    api.submit(input="a secret", suggestion="another secret", confidence=0.5, idempotency_key="third secret")
    ours = "\n".join(one.getMessage() for one in caplog.records if one.name == "countersign")
    assert "next try in" in ours
    assert "status 201" in ours or "status 200" in ours
    assert "r-2" in ours
    assert "secret" not in caplog.text
    assert "csk_" not in caplog.text + repr(api)


def test_reads_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COUNTERSIGN_URL", " https://review.example.org/base/ ")
    monkeypatch.setenv("COUNTERSIGN_API_KEY", "csk_env")
    monkeypatch.setenv("COUNTERSIGN_PROJECT_ID", PROJECT_ID)
    with Countersign() as api:
        assert repr(api) == f"Countersign(url='https://review.example.org/base', project_id='{PROJECT_ID}')"
    with Countersign("http://localhost:3000") as api:
        assert "http://localhost:3000" in repr(api)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"api_key": "csk_x"}, "set COUNTERSIGN_URL"),
        ({"url": "", "api_key": "csk_x"}, "set COUNTERSIGN_URL"),
        ({"url": "review.example.org", "api_key": "csk_x"}, "must be an HTTP URL"),
        ({"url": "https://user:password@review.example.org", "api_key": "csk_x"}, "must be an HTTP URL"),
        ({"url": "https://review.example.org"}, "set COUNTERSIGN_API_KEY"),
        ({"url": "https://review.example.org", "api_key": "csk x"}, "printable ASCII"),
    ],
)
def test_says_what_to_configure(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigurationError, match=words) as raised:
        Countersign(**arguments)
    assert arguments.get("api_key", "none") not in str(raised.value)


def test_only_submissions_need_a_project(client: Make) -> None:
    api, _ = client(ok(item_json()), project_id=None)
    assert api.item(ITEM_ID).status == "queued"
    with pytest.raises(ConfigurationError, match="COUNTERSIGN_PROJECT_ID"):
        api.submit(**MINIMAL)

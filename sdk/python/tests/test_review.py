"""Waiting for people, and `review`: typed in, typed out."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypedDict

import httpx
import pytest
from fake import DECISION, ITEM_ID, PROJECT_ID, FakeClock, decided_item, item_json, ok, refused, submitted_json

from countersign import (
    ItemExpired,
    ItemRejected,
    ItemWithdrawn,
    NetworkError,
    NotFound,
    OutputInvalid,
    WaitTimeout,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from fake import FakeService

    from countersign import Countersign

    Make = Callable[..., tuple[Countersign, FakeService]]


def later(clock: FakeClock, body: Any, seconds: float | None = None) -> Callable[[httpx.Request], httpx.Response]:
    """Answers after so many seconds, or after the wait that was asked for."""

    def answer(request: httpx.Request) -> httpx.Response:
        clock.now += float(request.url.params.get("wait", 0)) if seconds is None else seconds
        return ok(body)

    return answer


def test_waits_by_long_polls_until_the_item_is_final(client: Make, clock: FakeClock) -> None:
    waiting = later(clock, item_json())
    api, service = client(waiting, waiting, later(clock, decided_item(), 3))
    decision = api.wait(ITEM_ID, timeout=timedelta(hours=1))
    assert (decision.status, decision.action, decision.output) == ("approved", "approve", {"text": "Yes"})
    assert [request.url.params["wait"] for request in service.requests] == ["50"] * 3
    assert clock.slept == []


def test_a_wait_outlives_faults_for_as_long_as_it_lasts(client: Make, clock: FakeClock) -> None:
    faults = [httpx.ReadError("cut"), refused(503, "unavailable"), refused(429, "rate_limited")] * 20
    api, service = client(*faults, ok(decided_item()))
    assert api.wait(ITEM_ID).approved
    assert len(service.requests) == 61
    assert sum(clock.slept) > 120


def test_a_wait_ends_with_its_time(client: Make, clock: FakeClock) -> None:
    api, service = client(later(clock, item_json()))
    with pytest.raises(WaitTimeout, match=f"Item {ITEM_ID} was not final within 120.5 s") as raised:
        api.wait(ITEM_ID, timeout=120.5)
    assert isinstance(raised.value, TimeoutError)
    assert [request.url.params.get("wait") for request in service.requests] == ["50", "50", "20", None]


@pytest.mark.parametrize(("timeout", "waits", "slept"), [(0.9, [None, None], 0.9), (2.5, ["2", None], 0.5)])
def test_a_wait_lasts_to_the_end_of_a_fraction_of_a_second(
    client: Make, clock: FakeClock, timeout: float, waits: list[str | None], slept: float
) -> None:
    api, service = client(later(clock, item_json()))
    with pytest.raises(WaitTimeout):
        api.wait(ITEM_ID, timeout=timeout)
    assert [request.url.params.get("wait") for request in service.requests] == waits
    assert clock.slept == [pytest.approx(slept)]
    assert clock.now >= 1000 + timeout


def test_a_wait_returns_a_decision_of_its_last_fraction_of_a_second(client: Make, clock: FakeClock) -> None:
    api, _ = client(later(clock, item_json()), later(clock, decided_item()))
    assert api.wait(ITEM_ID, timeout=0.9).approved


@pytest.mark.parametrize("timeout", [float("nan"), -0.1, -5, timedelta(seconds=-1), float("-inf")])
def test_a_timeout_that_is_no_time_is_refused_before_anything_is_sent(client: Make, timeout: Any) -> None:
    api, service = client(ok(item_json()))
    with pytest.raises(ValueError, match="0 or more"):
        api.wait(ITEM_ID, timeout=timeout)
    with pytest.raises(ValueError, match="0 or more"):
        api.review(input="t", suggestion="s", confidence=0.5, timeout=timeout)
    assert service.requests == []


def test_a_wait_without_time_reads_once(client: Make) -> None:
    api, service = client(ok(item_json()))
    with pytest.raises(WaitTimeout):
        api.wait(ITEM_ID, timeout=0)
    assert len(service.requests) == 1


@pytest.mark.parametrize(("timeout", "limits"), [(0, [1]), (0.5, [1, 1]), (1.5, [2.5, 1]), (10, [20]), (None, [80])])
def test_a_request_of_a_wait_lasts_no_longer_than_its_time(
    client: Make, clock: FakeClock, timeout: float | None, limits: list[float]
) -> None:
    api, service = client(later(clock, decided_item() if timeout is None else item_json()))
    with pytest.raises(WaitTimeout) if timeout is not None else nullcontext():
        api.wait(ITEM_ID, timeout=timeout)
    assert [request.extensions["timeout"]["read"] for request in service.requests] == limits


def test_every_try_of_a_review_lasts_no_longer_than_its_time(client: Make, clock: FakeClock) -> None:
    def slow(_: httpx.Request) -> httpx.Response:
        clock.now += 4
        raise httpx.ReadError("cut")

    api, service = client(slow, ok(submitted_json()), later(clock, decided_item()))
    api.review(input="t", suggestion="s", confidence=0.5, timeout=10)
    limits = [request.extensions["timeout"]["read"] for request in service.requests]
    assert limits == [10, 5.875, 5 + 5.875]


def test_a_fault_until_the_end_is_the_cause_of_the_timeout(client: Make, clock: FakeClock) -> None:
    api, _ = client(httpx.ConnectError("gone"))
    with pytest.raises(WaitTimeout) as raised:
        api.wait(ITEM_ID, timeout=600)
    assert "gone" in str(raised.value.__cause__)
    assert clock.now <= 1600


def test_asks_again_a_second_later_where_too_many_wait(client: Make, clock: FakeClock) -> None:
    api, _ = client(ok(item_json()), ok(item_json()), ok(decided_item()))
    api.wait(ITEM_ID)
    assert clock.slept == [1.5, 1.5]


def test_does_not_wait_for_what_is_not_there(client: Make) -> None:
    api, service = client(refused(404, "not_found"))
    with pytest.raises(NotFound):
        api.wait(ITEM_ID)
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    ("status", "error"), [("expired", ItemExpired), ("withdrawn", ItemWithdrawn), ("rejected", ItemRejected)]
)
def test_an_end_without_a_decision_raises(client: Make, status: str, error: type[Exception]) -> None:
    api, _ = client(ok(item_json(status=status)))
    with pytest.raises(error) as raised:
        api.wait(ITEM_ID)
    assert raised.value.item.status == status  # type: ignore[attr-defined]


@dataclass
class Refund:
    order: str
    amount: float


class RefundDict(TypedDict):
    order: str
    amount: float


SCHEMA = {
    "title": "Refund",
    "type": "object",
    "properties": {"order": {"type": "string"}, "amount": {"type": "number"}},
    "required": ["order", "amount"],
    "additionalProperties": False,
}


def test_review_submits_waits_and_returns_the_model(client: Make) -> None:
    output = {"order": "BM-1", "amount": 12.5}
    api, service = client(
        httpx.ReadError("cut"), ok(submitted_json(), 201), ok(decided_item(action="edit", output=output))
    )
    result = api.review(
        input="ticket",
        suggestion=Refund("BM-1", 24.9),
        answer_model=Refund,
        confidence=0.6,
        timeout=900,
        title="Refund",
    )
    assert result.approved
    assert result.output == Refund("BM-1", 12.5)
    assert result.decision is not None
    assert (result.item_id, result.status, result.decision.action) == (ITEM_ID, "approved", "edit")
    assert service.bodies()[0] == {
        "project_id": PROJECT_ID,
        "input": "ticket",
        "suggestion": {"order": "BM-1", "amount": 24.9},
        "confidence": 0.6,
        "title": "Refund",
        "answer_schema": SCHEMA,
    }
    keys = service.header("idempotency-key")
    assert keys[0] == keys[1] is not None


def test_review_returns_a_typed_dict(client: Make) -> None:
    output = {"order": "BM-1", "amount": 12.5}
    api, _ = client(
        ok(submitted_json("auto_approved", decision={**DECISION, "action": "auto_approve", "output": output}))
    )
    suggestion: RefundDict = {"order": "BM-1", "amount": 12.5}
    result = api.review(input="t", suggestion=suggestion, answer_model=RefundDict, confidence=0.99)
    assert (result.output, result.status) == (output, "auto_approved")


def test_review_of_a_tool_call_returns_its_arguments(client: Make) -> None:
    output = {"name": "refund", "arguments": {"order": "BM-1", "amount": 1}}
    api, service = client(ok(submitted_json()), ok(decided_item(output=output)))
    suggestion = {"name": "refund", "arguments": Refund("BM-1", 2)}
    result = api.review(input="t", suggestion=suggestion, answer_model=Refund, confidence=0.5, kind="tool_call")
    assert result.output == Refund("BM-1", 1.0)
    assert service.bodies()[0]["suggestion"] == {"name": "refund", "arguments": {"order": "BM-1", "amount": 2}}
    assert service.bodies()[0]["answer_schema"] == SCHEMA


def test_review_without_a_model_returns_the_json(client: Make) -> None:
    api, service = client(ok(submitted_json()), ok(decided_item()))
    assert api.review(input="t", suggestion="s", confidence=0.5).output == {"text": "Yes"}
    assert "answer_schema" not in service.bodies()[0]


@pytest.mark.parametrize(
    "decision",
    [
        {"status": "rejected", "action": "reject", "output": None, "reason": "Fraud"},
        {"status": "rejected", "action": "respond", "output": None, "response": "Ask first."},
        {"status": "escalated_final", "action": "finalize", "output": None},
    ],
)
def test_a_rejection_is_a_result(client: Make, decision: dict[str, Any]) -> None:
    api, _ = client(ok(submitted_json()), ok(decided_item(**decision)))
    result = api.review(input="t", suggestion=Refund("a", 1), answer_model=Refund, confidence=0.5)
    assert (result.approved, result.output, result.status) == (False, None, decision["status"])
    assert result.decision is not None
    assert result.decision.response == decision.get("response")


def test_a_rejection_by_no_person_is_a_result(client: Make) -> None:
    api, _ = client(ok(submitted_json("rejected")), ok(item_json(status="rejected")))
    result = api.review(input="t", suggestion="s", confidence=0.1)
    assert (result.approved, result.decision, result.status) == (False, None, "rejected")


def test_review_raises_where_nobody_answered(client: Make, clock: FakeClock) -> None:
    api, _ = client(ok(submitted_json()), ok(item_json(status="expired")))
    with pytest.raises(ItemExpired):
        api.review(input="t", suggestion="s", confidence=0.5)
    api, service = client(ok(submitted_json()), later(clock, item_json()))
    with pytest.raises(WaitTimeout):
        api.review(input="t", suggestion="s", confidence=0.5, timeout=30)
    assert service.requests[1].url.params["wait"] == "30"


def test_review_ends_with_its_time_where_the_service_is_not_there(client: Make, clock: FakeClock) -> None:
    api, _ = client(httpx.ConnectError("gone"))
    with pytest.raises(NetworkError) as raised:
        api.review(input="t", suggestion="s", confidence=0.5, timeout=2, idempotency_key="k")
    assert clock.now < 1002
    assert raised.value.idempotency_key == "k"


def test_an_output_that_is_no_model_raises_with_its_decision(client: Make) -> None:
    api, _ = client(ok(submitted_json()), ok(decided_item(output={"order": "BM-1", "amount": "many"})))
    with pytest.raises(OutputInvalid, match="/amount is not a number") as raised:
        api.review(input="t", suggestion=None, answer_model=Refund, confidence=0)
    assert raised.value.decision is not None
    assert raised.value.decision.output["order"] == "BM-1"


def test_review_takes_a_model_or_a_schema(client: Make) -> None:
    api, service = client(ok(submitted_json()))
    with pytest.raises(TypeError, match="not both"):
        api.review(input="t", suggestion=None, answer_model=Refund, confidence=0, answer_schema={})
    assert service.requests == []

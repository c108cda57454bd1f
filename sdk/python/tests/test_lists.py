"""Batches, pages of items, and the feed of events."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from itertools import islice
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from fake import DECISION, ITEM_ID, PROJECT_ID, FakeClock, item_json, ok, refused
from hypothesis import given
from hypothesis import strategies as st

from countersign import ApiError, BadRequest, NetworkError, RetryPolicy, UnexpectedAnswer
from countersign._models import Malformed
from countersign._pages import Position

if TYPE_CHECKING:
    from collections.abc import Callable

    from fake import FakeService

    from countersign import Countersign, Submission

    Make = Callable[..., tuple[Countersign, FakeService]]


def an_item(number: int, text: str = "") -> Submission:
    return {"input": {"number": number, "text": text}, "suggestion": "a", "confidence": 0.5}


def take(request: httpx.Request) -> httpx.Response:
    """Stores each item but those with the number 3 in this request; answers in reverse order."""
    results: list[Any] = []
    for index, item in enumerate(json.loads(request.content)["items"]):
        assert item["project_id"] == PROJECT_ID
        number = item["input"]["number"]
        if number % 700 == 3:
            error = {"pointer": f"#/items/{index}/confidence", "code": "x", "detail": "d"}
            problem = {"status": 422, "code": "validation_failed", "detail": "no", "request_id": "r", "errors": [error]}
            results.append({"index": index, "error": problem})
        else:
            results.append({"index": index, "id": f"id-{number}", "status": "queued", "decision": None})
    return ok({"results": results[::-1]})


def test_splits_a_batch_by_number_and_returns_results_in_order(client: Make) -> None:
    api, service = client(take)
    results = api.submit_batch([an_item(number) for number in range(1200)], idempotency_key="nightly")
    assert [len(body["items"]) for body in service.bodies()] == [500, 500, 200]
    assert service.header("idempotency-key") == ["nightly 1", "nightly 2", "nightly 3"]
    assert [result.index for result in results] == list(range(1200))
    failed = [result for result in results if result.error]
    assert [result.index for result in failed] == [3, 703]
    error = failed[1].error
    assert error is not None
    # The pointer counts from the start of the whole batch.
    assert (error.details[0].pointer, error.code, error.status) == ("#/items/703/confidence", "validation_failed", 422)
    assert [result.item.id for result in results if result.item][-1] == "id-1199"


def test_splits_a_batch_by_size(client: Make) -> None:
    api, service = client(take)
    api.submit_batch(an_item(number, "x" * 250_000) for number in range(45))
    sizes = [len(request.content) for request in service.requests]
    assert [len(body["items"]) for body in service.bodies()] == [20, 20, 5]
    assert max(sizes) <= 5 * 1024 * 1024
    assert len(set(service.header("idempotency-key"))) == 3


def test_one_request_has_the_key_as_it_was_given(client: Make) -> None:
    api, service = client(take)
    assert api.submit_batch([]) == []
    assert service.requests == []
    api.submit_batch([an_item(1)], idempotency_key="k")
    assert service.header("idempotency-key") == ["k"]


def test_an_item_that_no_request_can_carry_does_not_fail_the_others(client: Make) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return refused(413, "payload_too_large") if len(request.content) > 5 * 1024 * 1024 else take(request)

    api, _ = client(answer)
    results = api.submit_batch([an_item(0), an_item(1, "x" * 6_000_000), an_item(2)])
    assert [result.error and result.error.code for result in results] == [None, "payload_too_large", None]


def test_a_failed_batch_can_be_repeated_by_the_key_of_its_error(client: Make) -> None:
    items = [an_item(number) for number in range(501)]
    api, service = client(take, httpx.ConnectError("gone"), take, retry=RetryPolicy(tries=1))
    with pytest.raises(NetworkError) as raised:
        api.submit_batch(items)
    key = raised.value.idempotency_key
    assert len(api.submit_batch(items, idempotency_key=key)) == 501
    keys = service.header("idempotency-key")
    assert keys[:2] == keys[2:] == [f"{key} 1", f"{key} 2"]
    assert service.bodies()[:2] == service.bodies()[2:]


def test_a_refused_batch_raises(client: Make) -> None:
    api, _ = client(refused(413, "payload_too_large"))
    with pytest.raises(ApiError):
        api.submit_batch([an_item(0), an_item(1)])


@pytest.mark.parametrize("results", [[], [{"index": 1, "id": "x", "status": "queued", "decision": None}], "x", [3]])
def test_results_that_are_not_those_of_the_items_are_refused(client: Make, results: Any) -> None:
    api, _ = client(ok({"results": results}))
    with pytest.raises(UnexpectedAnswer) as raised:
        api.submit_batch([an_item(0)], idempotency_key="k")
    assert raised.value.idempotency_key == "k"


def test_an_answer_that_is_none_has_the_key_of_the_whole_batch(client: Make) -> None:
    api, _ = client(take, ok({}))
    with pytest.raises(UnexpectedAnswer) as raised:
        api.submit_batch([an_item(number) for number in range(501)], idempotency_key="k")
    assert raised.value.idempotency_key == "k"


def test_a_key_leaves_room_for_the_number_of_the_request(client: Make) -> None:
    api, service = client(take)
    with pytest.raises(ValueError, match="shorter"):
        api.submit_batch([an_item(number) for number in range(501)], idempotency_key="k" * 255)
    assert service.requests == []


def test_lists_items_over_all_pages(client: Make) -> None:
    pages = [
        ok({"data": [item_json(id="1"), item_json(id="2")], "has_more": True, "next_cursor": "c"}),
        refused(503, "unavailable"),
        ok({"data": [item_json(id="3")], "has_more": False, "next_cursor": None}),
    ]
    api, service = client(*pages)
    since = datetime(2026, 11, 1, tzinfo=timezone.utc)
    assert [item.id for item in api.items(status="queued", since=since, page_size=2)] == ["1", "2", "3"]
    first, _, last = (request.url.params for request in service.requests)
    assert dict(first) == {"status": "queued", "since": "2026-11-01T00:00:00+00:00", "limit": "2"}
    assert dict(last) == {**first, "after": "c"}


@pytest.mark.parametrize(
    "options",
    [{"page_size": 0}, {"page_size": 101}, {"since": datetime(2026, 1, 1)}],
)
def test_refuses_a_page_or_a_time_that_is_none(client: Make, options: dict[str, Any]) -> None:
    api, service = client(ok({}))
    with pytest.raises(ValueError, match=r"page|time zone"):
        list(api.items(**options))
    assert service.requests == []


def test_a_page_of_items_that_does_not_advance_is_refused(client: Make) -> None:
    api, service = client(ok({"data": [item_json()], "has_more": True, "next_cursor": "c"}))
    with pytest.raises(UnexpectedAnswer, match="advance"):
        list(islice(api.items(), 9))
    assert len(service.requests) == 2


def test_pages_of_items_that_lead_back_are_refused(client: Make) -> None:
    answers = [ok({"data": [item_json()], "has_more": True, "next_cursor": cursor}) for cursor in "abcabcabcabc"]
    api, service = client(*answers)
    with pytest.raises(UnexpectedAnswer, match="leads back"):
        list(islice(api.items(), 99))
    assert len(service.requests) < 12


def event_json(id: str, **changes: Any) -> dict[str, Any]:
    return {
        "id": id,
        "event": "item.decided",
        "item_id": ITEM_ID,
        "project_id": PROJECT_ID,
        "status": "approved",
        "decision": DECISION,
        "reviewer_id": None,
        "decided_at": DECISION["decided_at"],
        **changes,
    }


def page(ids: list[str], cursor: str, *, more: bool = False) -> httpx.Response:
    return ok({"data": [event_json(id) for id in ids], "has_more": more, "next_cursor": cursor})


def test_events_end_where_nothing_is_new(client: Make) -> None:
    api, service = client(page(["1", "2"], "c2", more=True), page(["3"], "c3"))
    events = list(api.events(page_size=2))
    assert [(event.id, event.cursor) for event in events] == [("1", None), ("2", "c2"), ("3", "c3")]
    assert [dict(request.url.params) for request in service.requests] == [
        {"limit": "2"},
        {"limit": "2", "after": "c2"},
    ]
    decision = events[0].decision
    assert decision is not None
    assert (events[0].event, events[0].item_id, decision.output) == ("item.decided", ITEM_ID, {"text": "Yes"})


def test_the_stored_cursor_of_any_event_misses_none(client: Make) -> None:
    pages = {None: (["1", "2"], "c2", True), "c2": (["3", "4"], "c4", True), "c4": (["5"], "c5", False)}

    def answer(request: httpx.Request) -> httpx.Response:
        ids, cursor, more = pages[request.url.params.get("after")]
        return page(ids, cursor, more=more)

    api, _ = client(answer)
    for used in range(6):
        first = list(islice(api.events(), used))
        cursor = first[-1].cursor if first else None
        second = [] if cursor == "c5" else list(api.events(after=cursor))
        assert sorted({event.id for event in [*first, *second]}) == ["1", "2", "3", "4", "5"]


def test_following_outlives_faults_and_waits_where_nothing_is_new(client: Make, clock: FakeClock) -> None:
    faults = [httpx.ConnectError("gone")] * 30
    api, service = client(page([], "c0"), *faults, page(["1"], "c1"), page([], "c1"), page(["2"], "c2"))
    events = api.events(after="c0", follow=True, poll_seconds=7)
    assert [event.id for event in islice(events, 2)] == ["1", "2"]
    assert clock.slept.count(7) == 3
    assert [request.url.params["after"] for request in service.requests] == ["c0"] * 32 + ["c1"] * 2


def test_without_following_a_fault_ends_it(client: Make) -> None:
    api, _ = client(httpx.ConnectError("gone"))
    with pytest.raises(NetworkError):
        list(api.events())


def test_an_invalid_cursor_ends_following(client: Make) -> None:
    api, _ = client(refused(400, "invalid_cursor"))
    with pytest.raises(BadRequest):
        next(iter(api.events(after="x", follow=True)))


def test_a_page_that_does_not_advance_is_refused(client: Make) -> None:
    api, _ = client(page(["1"], "c", more=True))
    with pytest.raises(UnexpectedAnswer, match="advance"):
        list(api.events())


@pytest.mark.parametrize("options", [{}, {"follow": True}, {"after": "b"}])
@pytest.mark.parametrize("more", [True, False])
def test_pages_that_lead_back_are_refused(client: Make, options: dict[str, Any], more: bool) -> None:
    cursors = ["a", "b"] * 6
    api, service = client(*(page(["1"], cursor, more=more) for cursor in cursors))
    # Without more, a feed that is not followed has ended.
    if not more and not options.get("follow"):
        assert len(list(api.events(**options))) == 1
        return
    with pytest.raises(UnexpectedAnswer, match="leads back"):
        list(islice(api.events(**options), 99))
    assert len(service.requests) < 12


@given(tail=st.integers(0, 40), cycle=st.integers(2, 40), start=st.sampled_from([None, 0, 40]))
def test_every_cycle_of_cursors_is_noticed(tail: int, cycle: int, start: int | None) -> None:
    position = Position(None if start is None else str(start))

    def read() -> None:
        for step in range(4 * (tail + cycle)):
            number = step if step < tail else tail + (step - tail) % cycle
            position.advance(str(number), more=False)

    with pytest.raises(Malformed):
        read()


def test_cursors_without_a_cycle_go_on() -> None:
    position = Position("0")
    for number in range(1, 5000):
        position.advance(str(number), more=True)
        position.advance(str(number), more=False)
        assert position.query() == {"after": str(number)}


def test_events_of_a_newer_service_are_kept_as_they_are(client: Make) -> None:
    data = {"id": "e", "event": "item.sung", "project_id": PROJECT_ID, "verse": 3}
    api, _ = client(ok({"data": [data], "has_more": False, "next_cursor": "c"}))
    [event] = api.events()
    assert (event.event, event.item_id, event.decision, event.raw) == ("item.sung", None, None, data)

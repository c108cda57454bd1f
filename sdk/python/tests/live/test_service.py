"""Every call on a real server, what people answer, and what the server documents."""

from __future__ import annotations

import asyncio
import os
import threading
import uuid
from dataclasses import dataclass, fields
from datetime import timedelta
from itertools import islice
from typing import Any, TypedDict, get_args

import httpx
import pydantic
import pytest
from live.control import decide, order, reviewer
from patterns import READABLE, UNREADABLE

from countersign import (
    Action,
    AnswerFault,
    AsyncCountersign,
    AuthenticationError,
    Conflict,
    Countersign,
    Decision,
    Event,
    FieldError,
    Item,
    ItemExpired,
    ItemWithdrawn,
    Kind,
    NotFound,
    OnDeadline,
    PermissionDenied,
    Routing,
    Submission,
    Submitted,
    ValidationFailed,
    WaitTimeout,
    json_schema_of,
)
from countersign._readable_schema import readable_schema
from countersign._sync.tool_calls import review_calls
from countersign._tool_calls import CallToReview

MINIMAL: dict[str, Any] = {"input": {"question": "May it?"}, "suggestion": "It may.", "confidence": 0.8}


@dataclass
class Refund:
    order: str
    amount: float


class Model(pydantic.BaseModel):
    order: str = pydantic.Field(min_length=1)
    amount: float = pydantic.Field(gt=0)


class Keys(TypedDict):
    order: str
    amount: float


def test_submits_reads_waits_and_withdraws(api: Countersign) -> None:
    submitted = api.submit(
        input={"q": "Ä𝄞"},
        suggestion={"order": "a", "amount": -1},
        confidence=0.8,
        risk_flags=["x"],
        metadata={"model": "m"},
        answer_schema=json_schema_of(Model),
        title="A title",
        allowed_actions=["approve", "respond"],
        deadline=timedelta(hours=2),
        on_deadline="escalate",
        traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    )
    item = api.item(submitted.id)
    assert (item.id, item.status, item.decision) == (submitted.id, "queued", None)
    assert (item.input, item.title, item.allowed_actions) == ({"q": "Ä𝄞"}, "A title", ("approve", "respond"))
    assert [fault.pointer for fault in item.suggestion_faults] == ["/amount"]
    assert item.deadline is not None
    # Item and deadline have their times from different clocks.
    assert timedelta(minutes=110) < item.deadline - item.created_at < timedelta(minutes=130)
    assert item.routing.rule == "RT3"
    decide(item.id, "respond", response="Ask first.")
    decision = api.wait(item.id, timeout=300)
    assert (decision.status, decision.action, decision.response) == ("rejected", "respond", "Ask first.")
    with pytest.raises(Conflict) as raised:
        api.withdraw(item.id)
    assert raised.value.code == "already_decided"
    assert raised.value.item is not None
    assert raised.value.item.decision == decision
    other = api.submit(**MINIMAL)
    assert api.withdraw(other.id, "Solved").status == "withdrawn"
    assert api.withdraw(other.id).status == "withdrawn"
    with pytest.raises(ItemWithdrawn):
        api.wait(other.id)


def test_the_same_key_makes_no_second_item(api: Countersign) -> None:
    key = str(uuid.uuid4())
    first = api.submit(**MINIMAL, idempotency_key=key)
    again = api.submit(**MINIMAL, idempotency_key=key)
    assert (again.id, first.replayed, again.replayed) == (first.id, False, True)
    with pytest.raises(ValidationFailed) as raised:
        api.submit(**{**MINIMAL, "confidence": 0.7}, idempotency_key=key)
    assert (raised.value.code, raised.value.tries) == ("idempotency_key_reused", 1)


def test_says_why_the_service_refuses(api: Countersign) -> None:
    with pytest.raises(ValidationFailed) as invalid:
        api.submit(**{**MINIMAL, "confidence": 2})
    assert [one.pointer for one in invalid.value.details] == ["#/confidence"]
    assert invalid.value.request_id
    with pytest.raises(ValidationFailed) as schema:
        api.submit(**MINIMAL, answer_schema={"type": "objekt"})
    assert schema.value.code == "schema_invalid"
    with pytest.raises(NotFound):
        api.item(uuid.uuid4())
    with pytest.raises(AuthenticationError), Countersign(api_key="csk_wrong") as other:
        other.submit(**MINIMAL)
    with pytest.raises(PermissionDenied), Countersign(project_id=str(uuid.uuid4())) as other:
        other.submit(**MINIMAL)


def test_knows_which_patterns_the_service_reads(api: Countersign) -> None:
    for pattern in READABLE:
        assert api.submit(**MINIMAL, answer_schema={"pattern": pattern}).status == "queued", pattern
    for pattern in UNREADABLE:
        with pytest.raises(ValidationFailed, match="schema_invalid"):
            api.submit(**MINIMAL, answer_schema={"pattern": pattern})


def test_submits_tool_calls_whose_schemas_it_cannot_read_as_they_are(api: Countersign) -> None:
    schemas: list[dict[str, Any]] = [
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": {"amount": {"type": "string", "pattern": UNREADABLE[0]}, "list": {"items": [{}]}},
            "dependencies": {"amount": ["list"]},
        },
        {"$dynamicRef": "#node"},
    ]
    calls = [
        CallToReview(idempotency_key=str(uuid.uuid4()), name="refund", arguments={}, arguments_schema=schema)
        for schema in schemas
    ]
    with pytest.raises(WaitTimeout):
        review_calls(api, calls, timeout=0, confidence=0.8)
    with_form = api.submit(**calls[0].submit_arguments(0.8, {}))
    without = api.submit(**calls[1].submit_arguments(0.8, {"answer_schema": None}))
    assert (with_form.replayed, without.replayed) == (True, True)
    assert api.item(with_form.id).answer_schema == readable_schema(schemas[0])
    assert api.item(without.id).answer_schema is None


def test_submits_a_batch_and_lists_it(api: Countersign) -> None:
    good: Submission = {"input": "batch", "suggestion": "a", "confidence": 0.8}
    items: list[Submission] = [good.copy() for _ in range(503)]
    items[501] = {"input": "batch", "suggestion": "a", "confidence": 3}
    results = api.submit_batch(items, idempotency_key=str(uuid.uuid4()))
    assert [result.index for result in results if result.error] == [501]
    error = results[501].error
    assert isinstance(error, ValidationFailed)
    assert error.details[0].pointer == "#/items/501/confidence"
    ids = [result.item.id for result in results if result.item]
    assert len(set(ids)) == 502
    listed = [item.id for item in api.items(status="queued", since=api.item(ids[0]).created_at)]
    assert set(ids) <= set(listed)
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize("model", [Refund, Model, Keys])
def test_review_takes_and_returns_a_model(api: Countersign, model: Any) -> None:
    with reviewer(api, "edit", output={"order": "BM-2", "amount": 12.5}, reason="Wrong fact"):
        result = api.review(
            input="ticket",
            suggestion=model(order="BM-1", amount=24.9),
            answer_model=model,
            confidence=0.8,
            timeout=300,
        )
    assert (result.approved, result.output) == (True, model(order="BM-2", amount=12.5))
    assert result.decision is not None
    assert (result.decision.action, result.decision.reason) == ("edit", "Wrong fact")


def test_review_of_a_tool_call_lets_people_change_its_arguments(api: Countersign) -> None:
    output = {"name": "refund", "arguments": {"order": "BM-1", "amount": 5}}
    with reviewer(api, "edit", output=output, reason="Wrong fact"):
        result = api.review(
            input="ticket",
            suggestion={"name": "refund", "arguments": Refund("BM-1", 24.9)},
            answer_model=Refund,
            kind="tool_call",
            confidence=0.8,
            timeout=300,
        )
    assert result.output == Refund("BM-1", 5.0)


def test_a_deadline_ends_a_wait(api: Countersign) -> None:
    item = api.submit(**MINIMAL, deadline=timedelta(minutes=30))
    order(do="set deadline clock", seconds_ahead=3600)
    try:
        with pytest.raises(ItemExpired):
            api.wait(item.id, timeout=300)
    finally:
        order(do="set deadline clock", seconds_ahead=0)


def test_a_wait_outlives_a_killed_service(api: Countersign) -> None:
    item = api.submit(**MINIMAL)
    decisions: list[Decision] = []
    waiting = threading.Thread(target=lambda: decisions.append(api.wait(item.id, timeout=300)))
    waiting.start()
    order(do="restart")
    decide(item.id)
    waiting.join()
    assert decisions[0].output == "It may."
    with pytest.raises(WaitTimeout):
        api.wait(api.submit(**MINIMAL).id, timeout=0)


def test_events_are_followed_through_a_restart_from_any_cursor(api: Countersign) -> None:
    cursor = None
    for event in api.events():
        cursor = event.cursor
    ids = [api.submit(**MINIMAL).id for _ in range(5)]
    for id in ids[:3]:
        decide(id)
    api.withdraw(ids[3])
    # Events of the tests before may arrive only now.
    followed = api.events(after=cursor, follow=True, poll_seconds=0.05, page_size=2)
    own = (event for event in followed if event.item_id in ids)
    found = list(islice(own, 4))
    order(do="restart")
    decide(ids[4], "reject", reason="Incomplete")
    found.append(next(own))
    assert [event.item_id for event in found] == ids
    assert [event.event for event in found] == [*["item.decided"] * 3, "item.withdrawn", "item.decided"]
    assert len({event.id for event in found}) == 5
    # Who starts again from the cursor of an event misses none behind it.
    for number, event in enumerate(found):
        rest = {one.id for one in api.events(after=event.cursor)}
        assert {one.id for one in found[number + 1 :]} <= rest


def test_the_asynchronous_client_does_the_same(api: Countersign) -> None:
    async def story() -> None:
        async with AsyncCountersign() as client:
            reviews = [
                client.review(
                    input="ticket", suggestion=Refund("a", n + 1), answer_model=Refund, confidence=0.8, timeout=300
                )
                for n in range(8)
            ]
            results = await asyncio.gather(*reviews)
            assert [result.output for result in results] == [Refund("a", n + 1.0) for n in range(8)]
            ids = {item.id async for item in client.items(status="approved")}
            assert {result.item_id for result in results} <= ids

    with reviewer(api):
        asyncio.run(story())


@pytest.fixture(scope="module")
def document() -> Any:
    return httpx.get(f"{os.environ['COUNTERSIGN_URL']}/api/public/openapi.json").json()


def members(schema: dict[str, Any]) -> set[str]:
    """The members of an object, or of all variants of one."""
    variants = schema.get("oneOf") or schema.get("anyOf") or [schema]
    return {name for variant in variants for name in variant["properties"]}


def names(of: type) -> set[str]:
    return {one.name for one in fields(of)}


@pytest.mark.parametrize(
    ("kind", "schema", "own"),
    [
        (Item, "Item", set()),
        (Decision, "Decision", set()),
        (Routing, "Routing", set()),
        (AnswerFault, "AnswerFault", set()),
        (Submitted, "Submitted", {"replayed", "expected_wait_seconds"}),
        (Event, "Event", {"cursor", "raw"}),
    ],
)
def test_answers_have_the_members_that_the_server_documents(
    document: Any, kind: type, schema: str, own: set[str]
) -> None:
    documented = resolved(document, document["components"]["schemas"][schema])
    assert names(kind) - own == members(documented)


def resolved(document: Any, schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with the references to its variants followed."""
    variants = schema.get("oneOf") or schema.get("anyOf")
    if variants is None:
        return schema
    prefix = "#/components/schemas/"
    return {
        "oneOf": [
            document["components"]["schemas"][one["$ref"].removeprefix(prefix)] if "$ref" in one else one
            for one in variants
        ]
    }


def test_submissions_have_the_members_that_the_server_documents(document: Any) -> None:
    schemas = document["components"]["schemas"]
    submission = schemas["Submission"]["properties"]
    assert set(Submission.__required_keys__ | Submission.__optional_keys__) | {"project_id"} == set(submission)
    assert set(get_args(OnDeadline)) == set(submission["on_deadline"]["enum"])
    assert set(get_args(Kind)) == set(schemas["ItemKind"]["enum"])
    assert set(get_args(Action)) == set(schemas["SubmitterAction"]["enum"])
    errors = schemas["Problem"]["properties"]["errors"]["items"]["properties"]
    assert {one.name for one in fields(FieldError)} == set(errors)

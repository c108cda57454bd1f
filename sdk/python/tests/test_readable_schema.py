"""Schemas of others in the form that the service reads; tests/live/test_service.py asks the service itself."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from patterns import READABLE, UNREADABLE
from reviews import APPROVE, Reviews

from countersign import ValidationFailed
from countersign._async.tool_calls import review_calls as areview_calls
from countersign._readable_schema import is_readable_pattern, readable_schema
from countersign._sync.tool_calls import review_calls
from countersign._tool_calls import CallToReview


def test_reads_the_patterns_that_the_service_reads() -> None:
    assert [one for one in READABLE if not is_readable_pattern(one)] == []
    assert [one for one in UNREADABLE if is_readable_pattern(one)] == []


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (True, True),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}, {"type": "object"}),
        ({"properties": {"pattern": {"pattern": "(?=a)"}}}, {"properties": {"pattern": {}}}),
        ({"definitions": {"$schema": {"type": "null"}}}, {"definitions": {"$schema": {"type": "null"}}}),
        ({"anyOf": [{"pattern": "(?=a)"}, {"pattern": "a"}]}, {"anyOf": [{}, {"pattern": "a"}]}),
        (
            {"default": {"pattern": "(?=a)"}, "enum": [["(?=a)"]]},
            {"default": {"pattern": "(?=a)"}, "enum": [["(?=a)"]]},
        ),
        (
            {"items": [{"type": "string"}], "additionalItems": False},
            {"prefixItems": [{"type": "string"}], "items": False},
        ),
        ({"items": {"type": "string"}, "additionalItems": False}, {"items": {"type": "string"}}),
        ({"items": [], "additionalItems": {"type": "null"}}, {"items": {"type": "null"}}),
        (
            {"dependencies": {"a": ["b"], "c": {"required": ["d"]}}},
            {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"required": ["d"]}}},
        ),
        ({"dependencies": {}}, {}),
        ({"$schema": "https://json-schema.org/draft/2020-12/schema"},) * 2,
        # Without the pattern, these would refuse everything.
        ({"not": {"items": {"pattern": "(?=a)"}}},) * 2,
        ({"oneOf": [{"pattern": "(?=a)"}, {"pattern": "(?!a)"}]},) * 2,
        ({"if": {"pattern": "(?=a)"}, "then": {"pattern": "(?=a)"}}, {"if": {"pattern": "(?=a)"}, "then": {}}),
    ],
)
def test_writes_a_schema_in_the_draft_of_the_service(schema: Any, expected: Any) -> None:
    assert readable_schema(schema) == expected


UNKNOWN = {"$dynamicRef": "#node"}
CALL = CallToReview(idempotency_key="k", name="refund", arguments={"order": "BM-1"}, arguments_schema=UNKNOWN)


def test_submits_a_call_without_its_form_where_the_service_refuses_the_schema() -> None:
    reviews = Reviews(refund=APPROVE)
    [outcome] = review_calls(reviews.client(), [CALL])
    assert outcome.status == "approved"
    assert [sent["answer_schema"] for sent in reviews.sent()] == [None]
    assert reviews.submissions == 2


def test_does_the_same_asynchronously() -> None:
    reviews = Reviews(refund=APPROVE)
    [outcome] = asyncio.run(areview_calls(reviews.async_client(), [CALL]))
    assert outcome.status == "approved"


def test_reports_a_schema_that_the_program_itself_chose() -> None:
    reviews = Reviews(refund=APPROVE)
    with pytest.raises(ValidationFailed, match="schema_invalid"):
        review_calls(reviews.client(), [CALL], submission_options={"answer_schema": UNKNOWN})
    assert reviews.submissions == 1

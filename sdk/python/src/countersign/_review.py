"""The rules of waiting and reviewing: when an item is final, and what its end means to the caller."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from ._errors import ItemExpired, ItemRejected, ItemWithdrawn, OutputInvalid
from ._outputs import parse_output
from ._pydantic_form import validation_form
from ._schema import is_pydantic, json_schema_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ._models import Decision, Item

POLL_SECONDS = 50
"""The longest wait of one request: below the idle limit of common proxies, and below the service's 60 s."""
MAX_WAIT_SECONDS = 60

_ENDED = ("auto_approved", "approved", "rejected", "escalated_final", "withdrawn", "expired")


def is_final(item: Item) -> bool:
    """Whether nothing more will happen to it, but for a revision. A status of a newer service is not final."""
    return item.decision is not None or item.status in _ENDED


def decision_of(item: Item) -> Decision:
    """The decision of a final item. Errors: `ItemExpired`, `ItemWithdrawn`, `ItemRejected` without one."""
    if item.decision is not None:
        return item.decision
    if item.status == "expired":
        raise ItemExpired(f"Item {item.id} expired: nobody decided it before its deadline.", item)
    if item.status == "withdrawn":
        raise ItemWithdrawn(f"Item {item.id} was withdrawn.", item)
    raise ItemRejected(f"Item {item.id} was rejected by no person: by routing, or by its deadline.", item)


def seconds_of(timeout: float | timedelta | None) -> float:
    """Seconds; without an end where it is None. Errors: `ValueError` for a negative timeout and for NaN."""
    if timeout is None:
        return float("inf")
    seconds = timeout.total_seconds() if isinstance(timeout, timedelta) else float(timeout)
    if not seconds >= 0:
        raise ValueError("A timeout is a number of seconds, 0 or more.")
    return seconds


def checked_wait(seconds: int) -> int:
    """Errors: `ValueError` for a wait that the service does not offer."""
    if isinstance(seconds, int) and 0 <= seconds <= MAX_WAIT_SECONDS:
        return seconds
    raise ValueError(f"wait_seconds must be a whole number from 0 to {MAX_WAIT_SECONDS}.")


def schema_options(answer_model: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the submission, with the schema of `answer_model`. Errors: `TypeError`."""
    if answer_model is None:
        return dict(options)
    if "answer_schema" in options:
        raise TypeError("Pass answer_model or answer_schema, not both: the schema is made from the model.")
    return {**options, "answer_schema": json_schema_of(answer_model)}


def suggestion_of(suggestion: Any, answer_model: Any, kind: object) -> Any:
    """The suggestion by the names that the schema of `answer_model` has; of a tool call its arguments.

    Errors: `TypeError` with the name of a field that the model cannot read back.
    """
    if kind == "tool_call" and isinstance(suggestion, dict) and "arguments" in suggestion:
        return {**suggestion, "arguments": suggestion_of(suggestion["arguments"], answer_model, None)}
    if isinstance(answer_model, type) and is_pydantic(answer_model) and isinstance(suggestion, answer_model):
        return validation_form(suggestion)
    return suggestion


def output_of(decision: Decision | None, answer_model: Any, kind: object) -> Any:
    """What to use, as `answer_model`; of a tool call its arguments. None unless approved.

    Errors: `OutputInvalid` with the decision.
    """
    if decision is None or not decision.approved:
        return None
    output = decision.output
    if answer_model is None:
        return output
    if kind == "tool_call" and isinstance(output, dict):
        output = output.get("arguments")
    try:
        return parse_output(answer_model, output)
    except OutputInvalid as error:
        error.decision = decision
        raise

"""The interrupts of LangChain's `HumanInTheLoopMiddleware` as items to review, and outcomes as what it resumes with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langchain_core.messages import convert_to_messages

from ._schema import json_schema_of
from ._tool_calls import ACTIONS, CallToReview, Outcome, UnknownInterrupt, Verdict, verdict_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from langchain_core.tools import BaseTool
    from langgraph.types import Interrupt

    from ._submission import Action


def interrupts_of(result: Any) -> Sequence[Interrupt[Any]]:
    """What a run stopped at, from what `invoke` returned in either of its versions."""
    found = getattr(result, "interrupts", None)
    if found is None and isinstance(result, dict):
        found = result.get("__interrupt__")
    return found or ()


def refuse_new_input(values: Any, input: Any) -> None:
    """A thread that has not ended takes no further messages: one of its calls would stay without a result.

    Errors: `ValueError` for messages that the thread does not have.
    """
    given = input.get("messages") if isinstance(input, dict) else None
    known = [message.content for message in values.get("messages", ())] if isinstance(values, dict) else []
    if given and any(message.content not in known for message in convert_to_messages(given)):
        raise ValueError("The thread has not ended, and these messages are new. Go on with input=None, then send them.")


def to_items(interrupt: Interrupt[Any], *, tools: Sequence[BaseTool] = ()) -> list[CallToReview]:
    """The tool calls of an interrupt, in their order: of its whole turn, or one in the mode `per_call`.

    The idempotency key is the ID of the interrupt, with a number from the second call on. Errors:
    `UnknownInterrupt`.
    """
    value = interrupt.value
    if isinstance(value, dict) and value.get("type") == "tool_approval":
        return [_single(interrupt, value, tools)]
    if not (isinstance(value, dict) and "action_requests" in value and "review_configs" in value):
        raise UnknownInterrupt(
            "The graph stopped at an interrupt that is no review of a tool call: answer it with Command(resume=...)."
        )
    # By name: there is one configuration for each tool, and any number of calls.
    allowed = {config["action_name"]: config["allowed_decisions"] for config in value["review_configs"]}
    return [
        CallToReview(
            idempotency_key=interrupt.id if index == 0 else f"{interrupt.id}:{index}",
            name=request["name"],
            arguments=request["args"],
            allowed=_actions(allowed[request["name"]]),
            arguments_schema=_tool_schema(tools, request["name"]),
            input={"description": request.get("description", "")},
        )
        for index, request in enumerate(value["action_requests"])
    ]


def to_resume(interrupt: Interrupt[Any], outcomes: Sequence[Outcome], *, tools: Sequence[BaseTool] = ()) -> Any:
    """What this interrupt resumes with: the value for its ID in `Command(resume={...})`.

    `outcomes` are those of `to_items(interrupt)`, in the same order. Errors: `DecisionNotAllowed`.
    """
    calls = to_items(interrupt, tools=tools)
    decisions = [_decision(call, verdict_of(outcome, call)) for call, outcome in zip(calls, outcomes, strict=True)]
    return decisions[0] if interrupt.value.get("type") == "tool_approval" else {"decisions": decisions}


def _decision(call: CallToReview, verdict: Verdict) -> dict[str, Any]:
    if verdict.action == "approve":
        return {"type": "approve"}
    if verdict.action == "edit":
        return {"type": "edit", "edited_action": {"name": call.name, "args": verdict.arguments}}
    return {"type": verdict.action, "message": verdict.message}


def _single(interrupt: Interrupt[Any], value: Mapping[str, Any], tools: Sequence[BaseTool]) -> CallToReview:
    schema = interrupt.response_schema
    taken = _decisions_of(schema if isinstance(schema, dict) else {})
    return CallToReview(
        idempotency_key=interrupt.id,
        name=value["name"],
        arguments=value["args"],
        allowed=_actions(taken) if taken else ACTIONS,
        arguments_schema=_tool_schema(tools, value["name"]),
        input={"description": value.get("description", "")},
    )


def _decisions_of(schema: dict[str, Any]) -> list[str]:
    """The types of the decisions that an interrupt takes; none where its schema does not say."""
    parts = schema.get("oneOf") or schema.get("anyOf") or [schema]
    types = (_resolved(schema, part).get("properties", {}).get("type", {}) for part in parts)
    return [kind.get("const") or kind.get("enum", [None])[0] for kind in types if kind]


def _resolved(schema: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    name = part.get("$ref", "").removeprefix("#/$defs/")
    resolved: dict[str, Any] = schema.get("$defs", {}).get(name, part) if name else part
    return resolved


def _actions(names: Sequence[str]) -> list[Action]:
    return [action for action in ACTIONS if action in names]


def _tool_schema(tools: Sequence[BaseTool], name: str) -> dict[str, Any] | None:
    """What the model sees of the tool's arguments; None where the tool was not passed."""
    for tool in tools:
        if tool.name == name:
            schema: Any = tool.tool_call_schema
            return dict(schema) if isinstance(schema, dict) else json_schema_of(schema)
    return None

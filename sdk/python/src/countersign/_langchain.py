"""The interrupts of LangChain's `HumanInTheLoopMiddleware` as items to review, and outcomes as what it resumes with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from langchain_core.messages import convert_to_messages

from ._langchain_schema import edit_schema_of, taken_decisions
from ._schema import json_schema_of
from ._tool_calls import ACTIONS, CallToReview, DecisionNotAllowed, Outcome, UnknownInterrupt, Verdict, verdict_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from langchain_core.messages import BaseMessage
    from langchain_core.tools import BaseTool
    from langgraph.types import Interrupt

    from ._submission import Action

REFUSED_EDIT = (
    "A reviewer changed the arguments of this call, and the tool does not take them as they are, so it was not run. "
    "Call {name} again with these arguments, in the types that the tool takes: {arguments}"
)


def interrupts_of(result: Any) -> Sequence[Interrupt[Any]]:
    """What a run stopped at, from what `invoke` returned in either of its versions."""
    found = getattr(result, "interrupts", None)
    if found is None and isinstance(result, dict):
        found = result.get("__interrupt__")
    return found or ()


def refuse_new_input(values: Any, input: Any) -> None:
    """A thread that has not ended takes no further messages: one of its calls would stay without a result.

    Errors: `ValueError` for messages that are not those that the unfinished turn began with.
    """
    given = input.get("messages") if isinstance(input, dict) else None
    known = list(values.get("messages", ())) if isinstance(values, dict) else []
    if given and not _began_turn(known, convert_to_messages(given if isinstance(given, list) else [given])):
        raise ValueError("The thread has not ended, and these messages are new. Go on with input=None, then send them.")


def _began_turn(known: Sequence[BaseMessage], given: Sequence[BaseMessage]) -> bool:
    """Whether the last turn of a thread began with these messages; a text may have occurred in earlier turns too."""
    # No message of a person follows them, and none stands right before them.
    last = max((index for index, one in enumerate(known) if one.type == "human"), default=0)
    starts = range(max(0, last + 1 - len(given)), min(last, len(known) - len(given)) + 1)
    return any(
        (start == 0 or known[start - 1].type != "human")
        and all(_same(one, other) for one, other in zip(known[start:], given, strict=False))
        for start in starts
    )


def _same(known: BaseMessage, given: BaseMessage) -> bool:
    if known.id is not None and given.id is not None:
        return known.id == given.id
    return (known.type, known.content) == (given.type, given.content)


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


def to_resume(
    interrupt: Interrupt[Any], outcomes: Sequence[Outcome], *, tools: Sequence[BaseTool] = (), refused: bool = False
) -> Any:
    """What this interrupt resumes with: the value for its ID in `Command(resume={...})`.

    `outcomes` are those of `to_items(interrupt)`, in the same order. In the mode `per_call` the graph refuses an
    edit that does not have the types of the tool, with `pydantic.ValidationError`. Resume each edit alone, since
    the tools of other calls may have run by then. Then pass `refused=True`: the edit becomes a rejection, whose
    message gives the model the new arguments. Errors: `DecisionNotAllowed`.
    """
    calls = to_items(interrupt, tools=tools)
    verdicts = [verdict_of(outcome, call) for call, outcome in zip(calls, outcomes, strict=True)]
    if refused:
        verdicts = [_refused(call, verdict) for call, verdict in zip(calls, verdicts, strict=True)]
    decisions = [_decision(call, verdict) for call, verdict in zip(calls, verdicts, strict=True)]
    return decisions[0] if interrupt.value.get("type") == "tool_approval" else {"decisions": decisions}


def is_checked_edit(answer: Any) -> bool:
    """Whether the graph checks what an interrupt resumes with, and may refuse it: an edit in the mode `per_call`."""
    return bool(answer.get("type") == "edit")


def _refused(call: CallToReview, verdict: Verdict) -> Verdict:
    if verdict.action != "edit":
        return verdict
    if "reject" not in call.allowed:
        raise DecisionNotAllowed(
            f"The tool {call.name!r} does not take the arguments of the edit, and its call allows only "
            f"{', '.join(call.allowed)}. Allow 'reject' for this tool."
        )
    arguments = json.dumps(verdict.arguments, ensure_ascii=False)
    return Verdict("reject", message=REFUSED_EDIT.format(name=call.name, arguments=arguments))


def _decision(call: CallToReview, verdict: Verdict) -> dict[str, Any]:
    if verdict.action == "approve":
        return {"type": "approve"}
    if verdict.action == "edit":
        return {"type": "edit", "edited_action": {"name": call.name, "args": verdict.arguments}}
    return {"type": verdict.action, "message": verdict.message}


def _single(interrupt: Interrupt[Any], value: Mapping[str, Any], tools: Sequence[BaseTool]) -> CallToReview:
    given = interrupt.response_schema
    schema = given if isinstance(given, dict) else {}
    taken = taken_decisions(schema)
    return CallToReview(
        idempotency_key=interrupt.id,
        name=value["name"],
        arguments=value["args"],
        allowed=_actions(taken) if taken else ACTIONS,
        arguments_schema=_tool_schema(tools, value["name"]) or edit_schema_of(schema),
        input={"description": value.get("description", "")},
    )


def _actions(names: Sequence[str]) -> list[Action]:
    return [action for action in ACTIONS if action in names]


def _tool_schema(tools: Sequence[BaseTool], name: str) -> dict[str, Any] | None:
    """What the model sees of the tool's arguments; None where the tool was not passed."""
    for tool in tools:
        if tool.name == name:
            schema: Any = tool.tool_call_schema
            return dict(schema) if isinstance(schema, dict) else json_schema_of(schema)
    return None

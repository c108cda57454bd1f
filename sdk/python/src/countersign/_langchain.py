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
    from langgraph.types import Interrupt, StateSnapshot

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


def refuse_new_input(values: Any, input: Any, began: StateSnapshot | None) -> None:
    """A thread that has not ended takes no further messages: one of its calls would stay without a result.

    The messages that the unfinished turn began with are repeated, not new. The checkpoint `began` has them as they
    were sent, whatever a middleware put into the thread since. Without it (with `durability="exit"`, or a
    checkpointer that stores only the latest state) the messages of the turn tell. Where a summary has replaced them,
    no message can be told from a new one: all are refused, since a new one would be lost.

    Errors: `ValueError` for new messages.
    """
    given = _messages_of(input)
    if not given:
        return
    sent = _messages_of(began.tasks[0].result) if began and began.tasks else None
    known = _messages_of(values) or []
    if _ends_with(_messages_of(began.values) or [], sent, given) if began and sent else _in_turn(known, given):
        return
    raise ValueError("The thread has not ended, and these messages are new. Go on with input=None, then send them.")


def _messages_of(values: Any) -> list[BaseMessage] | None:
    given = values.get("messages") if isinstance(values, dict) else None
    return convert_to_messages(given if isinstance(given, list) else [given]) if given else None


def _ends_with(before: Sequence[BaseMessage], sent: Sequence[BaseMessage], given: Sequence[BaseMessage]) -> bool:
    """Whether these are the messages that were sent, alone or after the ones before them."""
    last = [*before, *sent][-len(given) :]
    return len(sent) <= len(given) == len(last) and all(map(_same, last, given))


def _in_turn(known: Sequence[BaseMessage], given: Sequence[BaseMessage]) -> bool:
    """Whether the last turn of a thread has these messages in their order, alone or after those of earlier turns."""
    # The last message belongs to the turn that has not ended, also where it is an answer.
    start, own = _after_answer(known[:-1]), _after_answer(given)
    return own < len(given) and _in_order(known[:start], given[:own]) and _in_order(known[start:], given[own:])


def _after_answer(messages: Sequence[BaseMessage]) -> int:
    """Where the last turn begins: after the last message of a model that calls no tool."""
    ends = (index for index, one in enumerate(messages, 1) if one.type == "ai" and not getattr(one, "tool_calls", ()))
    return max(ends, default=0)


def _in_order(known: Sequence[BaseMessage], given: Sequence[BaseMessage]) -> bool:
    rest = iter(known)
    return all(any(_same(one, other) for one in rest) for other in given)


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
            "The graph stopped at an interrupt that is not a review of a tool call: answer it with Command(resume=...)."
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

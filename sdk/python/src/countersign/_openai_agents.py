"""The interruptions of the OpenAI Agents SDK as items to review, and outcomes as the state that a run goes on with."""

from __future__ import annotations

import asyncio
import json
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agents import RunState

from ._tool_calls import (
    ACTIONS,
    AlreadyReleased,
    CallToReview,
    Outcome,
    UnknownInterrupt,
    Verdict,
    call_key,
    read_arguments,
    verdict_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agents import Agent
    from agents.items import ToolApprovalItem

EDITED = (
    "A reviewer changed the arguments of this call, so it was not run as you wrote it. "
    "Call {name} again with exactly these arguments: {arguments}"
)


@dataclass(frozen=True, kw_only=True)
class PausedRun:
    """A run that waits for people. Each stop of a run has an `id` of its own."""

    id: str
    state: RunState[Any]

    def to_json(self, *, released: bool = False) -> str:
        """As text to store. It contains the conversation, so store it where only your program writes.

        `released`: the reviewed calls go to the agent now, so that nobody goes on with this text again.
        """
        return json.dumps({"id": self.id, "released": released, "state": self.state.to_json()})


def paused(result: Any) -> PausedRun | None:
    """The paused run behind what `Runner.run` returned; None where the run has ended."""
    return PausedRun(id=str(uuid.uuid4()), state=result.to_state()) if result.interruptions else None


async def load(agent: Agent[Any], text: str, context: Any = None) -> PausedRun:
    """From `PausedRun.to_json`. Errors: `AlreadyReleased`; those of `RunState.from_json`, `KeyError`, `ValueError`."""
    stored = json.loads(text)
    if stored["released"]:
        raise AlreadyReleased("The reviewed calls of this run went to the agent before: they may have run.")
    state = await RunState.from_json(agent, stored["state"], context_override=context)
    return PausedRun(id=stored["id"], state=state)


def load_now(agent: Agent[Any], text: str, context: Any = None) -> PausedRun:
    """The same, where no event loop runs."""
    # `asyncio.run` would take away the loop that `Runner.run_sync` keeps for this thread.
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(load(agent, text, context))
    finally:
        loop.close()


def to_items(run: PausedRun) -> list[CallToReview]:
    """The calls that wait for approval, in their order. Errors: `UnknownInterrupt` for one that shows nothing."""
    items = run.state.get_interruptions()
    return [
        CallToReview(
            idempotency_key=key,
            name=item.qualified_name or "",
            arguments=_arguments(item),
            allowed=ACTIONS,
            arguments_schema=_schema(item),
            input={"agent": item.agent.name},
        )
        for key, item in zip(_keys(run.id, items), items, strict=True)
    ]


def _keys(stop: str, items: Sequence[ToolApprovalItem]) -> list[str]:
    """The idempotency key of each call: by its ID, and where an earlier call of the stop has it, by its place too.

    Agents that are tools of others number their calls on their own. The state keeps the places. The first call with
    an ID is named by the ID alone, as earlier versions did: a run that waits across an update keeps its items.
    """
    keys: list[str] = []
    for index, item in enumerate(items):
        name = item.call_id or str(index)
        while (key := call_key(stop, name)) in keys:
            name = f"{name}#{index}"
        keys.append(key)
    return keys


def to_resume(run: PausedRun, outcomes: Sequence[Outcome]) -> RunState[Any]:
    """The state to pass to `Runner.run`, with every call approved or rejected.

    `outcomes` are those of `to_items(run)`, in the same order. The SDK cannot change the arguments of a call: an edit
    is a rejection whose message gives the model the new ones, and the call that it then makes is reviewed again.
    """
    calls = to_items(run)
    for item, call, outcome in zip(run.state.get_interruptions(), calls, outcomes, strict=True):
        verdict = verdict_of(outcome, call)
        if verdict.action == "approve":
            run.state.approve(item)
        else:
            run.state.reject(item, rejection_message=_message(call, verdict))
    return run.state


def _message(call: CallToReview, verdict: Verdict) -> str:
    if verdict.action != "edit":
        return verdict.message
    return EDITED.format(name=call.name, arguments=json.dumps(verdict.arguments, ensure_ascii=False))


def _arguments(item: ToolApprovalItem) -> dict[str, Any]:
    """What the call would do: its arguments, or all that a tool such as the shell has instead of them."""
    if item.arguments is not None:
        return read_arguments(item.arguments)
    raw: Any = item.raw_item
    whole: dict[str, Any] = dict(raw) if isinstance(raw, dict) else raw.model_dump(mode="json", exclude_none=True)
    shown = {name: value for name, value in whole.items() if name not in ("id", "call_id", "type", "status")}
    if not shown:
        raise UnknownInterrupt(f"The call of {item.name!r} shows nothing that a person could review.")
    return shown


def _schema(item: ToolApprovalItem) -> dict[str, Any] | None:
    for tool in item.agent.tools:
        if tool.name == item.name:
            schema = getattr(tool, "params_json_schema", None)
            return dict(schema) if schema else None
    return None

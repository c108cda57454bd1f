"""The deferred approvals of Pydantic AI as items to review, and outcomes as the results that a run goes on with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter
from pydantic_ai import (
    CombinedToolset,
    DeferredToolRequests,
    DeferredToolResults,
    PrefixedToolset,
    PreparedToolset,
    RenamedToolset,
    ToolApproved,
    ToolDenied,
    WrapperToolset,
)
from pydantic_ai.messages import ModelMessage  # noqa: TC002 - pydantic reads the annotation

from ._tool_calls import (
    ACTIONS,
    AlreadyReleased,
    CallToReview,
    Outcome,
    UnknownInterrupt,
    call_key,
    read_arguments,
    verdict_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic_ai import AbstractToolset


@dataclass(frozen=True, kw_only=True)
class PausedRun:
    """A run that waits for people: what it said so far, and the calls that it wants to make."""

    messages: list[ModelMessage]
    requests: DeferredToolRequests
    released: bool = False
    """The reviewed calls went to the agent, and may have run."""

    def to_json(self, *, released: bool = False) -> str:
        """As text to store. It contains the conversation, so store it where only your program writes.

        `released`: the reviewed calls go to the agent now, so that nobody goes on with this text again.
        """
        return _PAUSED.dump_json(replace(self, released=released)).decode()

    @staticmethod
    def from_json(text: str) -> PausedRun:
        """From `to_json`. Errors: `AlreadyReleased`, `pydantic.ValidationError`."""
        run = _PAUSED.validate_json(text)
        if run.released:
            raise AlreadyReleased("The reviewed calls of this run went to the agent before: they may have run.")
        return run


_PAUSED = TypeAdapter(PausedRun)


def paused(result: Any) -> PausedRun | None:
    """The paused run behind what `Agent.run` returned; None where the run has ended. Errors: `UnknownInterrupt`."""
    requests = result.output
    if not isinstance(requests, DeferredToolRequests):
        return None
    if requests.calls:
        names = ", ".join(sorted({call.tool_name for call in requests.calls}))
        raise UnknownInterrupt(f"The run waits for results of {names}, which are not approvals: answer them yourself.")
    return PausedRun(messages=result.all_messages(), requests=requests)


def to_items(run: PausedRun, *, toolsets: Sequence[AbstractToolset[Any]] = ()) -> list[CallToReview]:
    """The calls that wait for approval, in their order.

    `toolsets` of the agent, and those that the run was given, have the forms for edits, also where others wrap them.
    """
    stop = next((one.run_id for one in reversed(run.messages) if one.run_id), "")
    return [
        CallToReview(
            idempotency_key=call_key(stop, call.tool_call_id),
            name=call.tool_name,
            arguments=read_arguments(call.args),
            allowed=ACTIONS,
            arguments_schema=_schema(toolsets, call.tool_name),
            input=run.requests.metadata.get(call.tool_call_id),
        )
        for call in run.requests.approvals
    ]


def to_resume(run: PausedRun, outcomes: Sequence[Outcome]) -> DeferredToolResults:
    """What the run goes on with: `agent.run(message_history=run.messages, deferred_tool_results=...)`.

    `outcomes` are those of `to_items(run)`, in the same order. The framework has no answers in words: the
    model gets such a response as the message of a denial, which is the text that it sees instead of a result.
    """
    results = DeferredToolResults()
    for part, call, outcome in zip(run.requests.approvals, to_items(run), outcomes, strict=True):
        verdict = verdict_of(outcome, call)
        if verdict.action in ("approve", "edit"):
            results.approvals[part.tool_call_id] = ToolApproved(override_args=verdict.arguments)
        else:
            results.approvals[part.tool_call_id] = ToolDenied(message=verdict.message)
    return results


def _schema(toolsets: Sequence[Any], name: str) -> dict[str, Any] | None:
    """Of a tool that is a function; others, such as those of an MCP server, have their schema only while they run."""
    for toolset in toolsets:
        tool = getattr(toolset, "tools", {}).get(name)
        if tool is not None:
            return dict(tool.tool_def.parameters_json_schema)
        inside, inner_name = _inside(toolset, name)
        schema = None if inner_name is None else _schema(inside, inner_name)
        if schema is not None:
            return schema
    return None


def _inside(toolset: Any, name: str) -> tuple[Sequence[Any], str | None]:
    """The toolsets in a toolset, and what they call the tool; None where they do not have it."""
    if isinstance(toolset, CombinedToolset):
        return toolset.toolsets, name
    # A function changes what its tools take, for each step of a run.
    if not isinstance(toolset, WrapperToolset) or isinstance(toolset, PreparedToolset):
        return (), None
    inner: str | None = name
    if isinstance(toolset, PrefixedToolset):
        prefix = f"{toolset.prefix}_"
        inner = name.removeprefix(prefix) if name.startswith(prefix) else None
    elif isinstance(toolset, RenamedToolset):
        inner = toolset.name_map.get(name, None if name in toolset.name_map.values() else name)
    return [toolset.wrapped], inner

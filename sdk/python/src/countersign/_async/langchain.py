"""Runs a LangChain agent or LangGraph graph whose tool calls wait for people."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from langgraph.errors import is_invalid_resume
from langgraph.types import Command
from pydantic import ValidationError

from .._langchain import interrupts_of, is_checked_edit, refuse_new_input, to_items, to_resume
from .._tool_calls import DEFAULT_CONFIDENCE
from .tool_calls import review_calls

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta

    from langchain_core.runnables import RunnableConfig
    from langchain_core.tools import BaseTool
    from langgraph.types import StateSnapshot

    from .._submission import SubmissionOptions
    from .client import AsyncCountersign

logger = logging.getLogger("countersign")


async def arun_with_review(
    agent: Any,
    input: Any,
    *,
    client: AsyncCountersign,
    config: Any,
    timeout: float | timedelta | None = None,
    confidence: float = DEFAULT_CONFIDENCE,
    tools: Sequence[BaseTool] = (),
    submission_options: SubmissionOptions | None = None,
    **options: Any,
) -> Any:
    """Runs the agent to its end; each tool call that `HumanInTheLoopMiddleware` stops at is reviewed by people.

    ```python
    agent = create_agent(
        model,
        tools=[refund],
        middleware=[HumanInTheLoopMiddleware(interrupt_on={"refund": True})],
        checkpointer=checkpointer,
    )
    config = {"configurable": {"thread_id": ticket}}
    result = await arun_with_review(agent, {"messages": messages}, client=client, config=config)
    ```

    A program that was killed runs the same line again: a thread that has not ended goes on where it stood, with
    the same items, and `input` is not sent a second time. Messages other than those that its last turn began with,
    by their IDs or else by their texts, are refused until it has ended. A tool in which it was killed runs again.
    With `durability="exit"`, a turn whose beginning a summary has replaced goes on with `input=None` only.

    Args:
        agent: A compiled graph with a checkpointer.
        input: As `ainvoke` takes it; None goes on with the thread.
        client: Submits the calls and waits for their decisions.
        config: As `ainvoke` takes it, with a `thread_id`.
        timeout: Seconds for each time that the agent stops; None: no limit.
        confidence: 0 to 1: with one that reaches the auto-approve threshold of the project, nobody is asked.
        tools: The tools of the agent: people edit their arguments in forms made from them.
        submission_options: More members of each submission, such as `deadline`, `risk_flags` and `metadata`.
        **options: Passed on to `ainvoke`.

    Returns what `ainvoke` returns. A call that nobody decided in time, or that was withdrawn, is rejected
    with a message that says so, and so is an edit that the types of the tool refuse in the mode `per_call`: the
    message gives the model the new arguments. Errors: `WaitTimeout`; `UnknownInterrupt` for interrupts of another kind;
    `DecisionNotAllowed`; `ValueError` for new messages to a thread that has not
    ended, and for an old checkpoint, whose approvals would hold again; those of `submit`.
    """
    if "checkpoint_id" in config.get("configurable", {}):
        raise ValueError("An old checkpoint has decisions of its own: run the thread without `checkpoint_id`.")
    state = await agent.aget_state(config)
    waiting = state.interrupts
    if state.next and input is not None:
        refuse_new_input(state.values, input, await _began(agent, state))
        logger.info("The thread had not ended and goes on where it stood.")
    # A thread that was killed in the middle goes on too: a second input would leave a call without its result.
    result = None if waiting else await agent.ainvoke(None if state.next else input, config, **options)
    while pending := waiting or interrupts_of(result):
        calls = [to_items(interrupt, tools=tools) for interrupt in pending]
        flat = [call for some in calls for call in some]
        outcomes = iter(
            await review_calls(
                client, flat, timeout=timeout, confidence=confidence, submission_options=submission_options
            )
        )
        decided = [(one, [next(outcomes) for _ in some]) for one, some in zip(pending, calls, strict=True)]
        resume = {one.id: to_resume(one, own, tools=tools) for one, own in decided}
        for one, own in decided:
            # Alone, and before the rest: where an edit is refused, tools of others may have run without a trace.
            if is_checked_edit(resume[one.id]):
                edit = {one.id: resume.pop(one.id)}
                try:
                    result = await agent.ainvoke(Command(resume=edit), config, **options)
                except ValidationError as error:
                    if not is_invalid_resume(error):
                        raise
                    resume[one.id] = to_resume(one, own, tools=tools, refused=True)
        waiting = ()
        if resume:
            result = await agent.ainvoke(Command(resume=resume), config, **options)
    return result


async def _began(agent: Any, state: StateSnapshot) -> StateSnapshot | None:
    """The checkpoint with the input that began the unfinished turn; None where it was not stored."""
    at: RunnableConfig | None = state.config
    while at and state.next:
        # By its ID: the latest state without one has the writes of unfinished steps too.
        state = await agent.aget_state(at)
        if (state.metadata or {}).get("source") == "input":
            return state
        at = state.parent_config
    return None

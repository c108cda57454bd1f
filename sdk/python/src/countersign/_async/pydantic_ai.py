"""Runs a Pydantic AI agent whose tool calls wait for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._pydantic_ai import PausedRun, paused, to_items, to_resume
from .._tool_calls import DEFAULT_CONFIDENCE, akeep
from .tool_calls import review_paused

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from .._submission import SubmissionOptions
    from .client import AsyncCountersign


async def arun_with_review(
    agent: Any,
    input: Any = None,
    *,
    client: AsyncCountersign,
    timeout: float | timedelta | None = None,
    confidence: float = DEFAULT_CONFIDENCE,
    save: Callable[[str], object] | None = None,
    resume: str | None = None,
    submission_options: SubmissionOptions | None = None,
    **options: Any,
) -> Any:
    """Runs the agent to its end; people review each call of a tool with `requires_approval=True`.

    ```python
    agent = Agent(model, output_type=[str, DeferredToolRequests])
    result = await arun_with_review(agent, "The teapot arrived with a crack.", client=client, save=store)
    ```

    Args:
        agent: An agent whose `output_type` includes `DeferredToolRequests`.
        input: The prompt, as `Agent.run` takes it.
        client: Submits the calls and waits for their decisions.
        timeout: Seconds for each time that the agent stops; None: no limit.
        confidence: 0 to 1: with one that reaches the auto-approve threshold of the project, nobody is asked.
        save: Called with text before the agent waits, and again before reviewed calls go to it: store the last
            one, and delete it when this returns.
        resume: That text, after a program was killed: the run goes on with the same items, and `input` is
            not sent a second time. A run whose calls may have run already is refused.
        submission_options: More members of each submission, such as `deadline`, `risk_flags` and `metadata`.
        **options: Passed on to `Agent.run`.

    Returns what `Agent.run` returns. A call that nobody decided in time, or that was withdrawn, is denied
    with a message that says so. Errors: `WaitTimeout`, whose `paused_run` can be passed as `resume`;
    `AlreadyReleased`; `UnknownInterrupt` for calls that wait for their result from outside; those of `submit`.
    """
    result = None
    if resume is None:
        result = await agent.run(input, **options)
        run = paused(result)
    else:
        run = PausedRun.from_json(resume)
    options.pop("message_history", None)
    while run is not None:
        outcomes = await review_paused(
            client,
            run.to_json(),
            to_items(run, toolsets=[*agent.toolsets, *(options.get("toolsets") or ())]),
            save=save,
            timeout=timeout,
            confidence=confidence,
            submission_options=submission_options,
        )
        results = to_resume(run, outcomes)
        await akeep(save, run.to_json(released=True))
        result = await agent.run(message_history=run.messages, deferred_tool_results=results, **options)
        run = paused(result)
    return result

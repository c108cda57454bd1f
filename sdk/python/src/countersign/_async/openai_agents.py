"""Runs an agent of the OpenAI Agents SDK whose tool calls wait for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agents import Runner

from .._openai_agents import load, paused, to_items, to_resume
from .._tool_calls import DEFAULT_CONFIDENCE, akeep
from .tool_calls import review_paused

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from agents import Agent

    from .._submission import SubmissionOptions
    from .client import AsyncCountersign


async def arun_with_review(
    agent: Agent[Any],
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
    """Runs the agent to its end; people review each call of a tool that needs approval.

    ```python
    @function_tool(needs_approval=True)
    def refund(order: str, amount: float) -> str: ...

    result = await arun_with_review(agent, "The teapot arrived with a crack.", client=client, save=store)
    ```

    Args:
        agent: As `Runner.run` takes it.
        input: As `Runner.run` takes it.
        client: Submits the calls and waits for their decisions.
        timeout: Seconds for each time that the agent stops; None: no limit.
        confidence: 0 to 1: with one that reaches the auto-approve threshold of the project, nobody is asked.
        save: Called with text before the agent waits, and again before reviewed calls go to it: store the last
            one, and delete it when this returns.
        resume: That text, after a program was killed: the run goes on with the same items, and `input` is
            not sent a second time. A run whose calls may have run already is refused.
        submission_options: More members of each submission, such as `deadline`, `risk_flags` and `metadata`.
        **options: Passed on to `Runner.run`.

    Returns what `Runner.run` returns. A call that nobody decided in time, or that was withdrawn, is rejected
    with a message that says so. The SDK has no edits: see `to_resume`. Errors: `WaitTimeout`, whose
    `paused_run` can be passed as `resume`; `AlreadyReleased`; `UnknownInterrupt`; those of `submit`.
    """
    if resume is None:
        result = await Runner.run(agent, input, **options)
        run = paused(result)
    else:
        result = None
        run = await load(agent, resume, options.get("context"))
    while run is not None:
        outcomes = await review_paused(
            client,
            run.to_json(),
            to_items(run),
            save=save,
            timeout=timeout,
            confidence=confidence,
            submission_options=submission_options,
        )
        state = to_resume(run, outcomes)
        await akeep(save, run.to_json(released=True))
        result = await Runner.run(agent, state, **options)
        run = paused(result)
    return result

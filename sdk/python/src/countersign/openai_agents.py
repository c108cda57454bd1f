"""Agents of the OpenAI Agents SDK whose tool calls wait for people: `pip install "./sdk/python[openai-agents]"`.

`run_with_review` runs an agent to its end. `PausedRun`, `to_items` and `to_resume` are its parts, for programs
that submit now and go on when the webhook comes.
"""

from ._async.openai_agents import arun_with_review
from ._openai_agents import PausedRun, load, paused, to_items, to_resume
from ._sync.openai_agents import run_with_review
from ._tool_calls import AlreadyReleased, CallToReview, DecisionNotAllowed, Outcome, UnknownInterrupt

__all__ = [
    "AlreadyReleased",
    "CallToReview",
    "DecisionNotAllowed",
    "Outcome",
    "PausedRun",
    "UnknownInterrupt",
    "arun_with_review",
    "load",
    "paused",
    "run_with_review",
    "to_items",
    "to_resume",
]

"""Pydantic AI agents whose tool calls wait for people: `pip install "./sdk/python[pydantic-ai]"`.

`run_with_review` runs an agent to its end. `PausedRun`, `to_items` and `to_resume` are its parts, for programs
that submit now and go on when the webhook comes.
"""

from ._async.pydantic_ai import arun_with_review
from ._pydantic_ai import PausedRun, paused, to_items, to_resume
from ._sync.pydantic_ai import run_with_review
from ._tool_calls import AlreadyReleased, CallToReview, DecisionNotAllowed, Outcome, UnknownInterrupt

__all__ = [
    "AlreadyReleased",
    "CallToReview",
    "DecisionNotAllowed",
    "Outcome",
    "PausedRun",
    "UnknownInterrupt",
    "arun_with_review",
    "paused",
    "run_with_review",
    "to_items",
    "to_resume",
]

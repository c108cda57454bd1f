"""LangChain agents and LangGraph graphs whose tool calls wait for people: `pip install "./sdk/python[langchain]"`.

`run_with_review` runs an agent with `HumanInTheLoopMiddleware` to its end. `to_items` and `to_resume` are its
parts, for programs that submit now and resume when the webhook comes.
"""

from ._async.langchain import arun_with_review
from ._langchain import to_items, to_resume
from ._sync.langchain import run_with_review
from ._tool_calls import CallToReview, DecisionNotAllowed, Outcome, UnknownInterrupt

__all__ = [
    "CallToReview",
    "DecisionNotAllowed",
    "Outcome",
    "UnknownInterrupt",
    "arun_with_review",
    "run_with_review",
    "to_items",
    "to_resume",
]

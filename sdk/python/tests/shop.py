"""An agent of LangChain with a fake model and two tools, and how a test runs it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver

from countersign.langchain import arun_with_review, run_with_review

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reviews import Reviews

CONFIG: Any = {"configurable": {"thread_id": "ticket-7"}}
REFUND = {"name": "refund", "args": {"order": "BM-1", "amount": 24.9}, "id": "call-1", "type": "tool_call"}
MAIL = {"name": "mail", "args": {"to": "ana@example.org"}, "id": "call-2", "type": "tool_call"}
ASK = {"messages": [{"role": "user", "content": "The teapot arrived with a crack."}]}


class ScriptedModel(GenericFakeChatModel):
    """Says what it was given; it knows of tools without a look at them."""

    def bind_tools(self, *_: Any, **__: Any) -> Any:
        return self


class Shop:
    """An agent with two tools, which note what they run with."""

    def __init__(self, *calls: dict[str, Any], mode: Any = "batched", allowed: Sequence[str] | None = None) -> None:
        self.ran: list[tuple[str, dict[str, Any]]] = []
        self.calls = list(calls)
        self.mode = mode
        self.gate: Any = True if allowed is None else {"allowed_decisions": list(allowed)}
        self.checkpoints = InMemorySaver()

    def tools(self) -> list[Callable[..., str]]:
        def refund(order: str, amount: float) -> str:
            """Refunds an order."""
            self.ran.append(("refund", {"order": order, "amount": amount}))
            return f"Refunded {amount}"

        def mail(to: str) -> str:
            """Writes to a customer."""
            self.ran.append(("mail", {"to": to}))
            return "Sent"

        return [refund, mail]

    def agent(self, *, resumed: bool = False) -> Any:
        """The agent in a new process: of what it was, the checkpoints are left."""
        words = AIMessage(content="", tool_calls=self.calls)
        messages = [AIMessage("Done.")] if resumed else [words, AIMessage("Done.")]
        gate = HumanInTheLoopMiddleware(interrupt_on={"refund": self.gate, "mail": self.gate}, interrupt_mode=self.mode)
        return create_agent(
            ScriptedModel(messages=iter(messages)),
            tools=self.tools(),
            middleware=[gate],
            checkpointer=self.checkpoints,
        )


def run_now(agent: Any, ask: Any, reviews: Reviews) -> Any:
    """Runs the agent to its end."""
    return run_with_review(agent, ask, client=reviews.client(), config=CONFIG)


def run_async(agent: Any, ask: Any, reviews: Reviews) -> Any:
    """Runs the agent to its end, in an event loop."""
    return asyncio.run(arun_with_review(agent, ask, client=reviews.async_client(), config=CONFIG))


RUNS = (run_now, run_async)

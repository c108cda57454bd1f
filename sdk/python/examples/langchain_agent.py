"""A LangChain agent whose refunds wait for a person. The model is scripted, so that no account is needed.

Set COUNTERSIGN_URL, COUNTERSIGN_API_KEY and COUNTERSIGN_PROJECT_ID, and decide the item in the queue.
"""

import sys
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from countersign import Countersign
from countersign.langchain import run_with_review

CALL: Any = {"name": "refund", "args": {"order": "BM-20418", "amount": 24.9}, "id": "call-1", "type": "tool_call"}


class ScriptedModel(GenericFakeChatModel):
    """Asks for a refund, then ends."""

    def bind_tools(self, *_: Any, **__: Any) -> Any:
        """It knows of its tools."""
        return self


@tool
def refund(order: str, amount: float) -> str:
    """Refunds an order, in EUR."""
    print(f"Refunded {amount} for {order}")
    return "Refunded."


model = ScriptedModel(messages=iter([AIMessage("", tool_calls=[CALL]), AIMessage("The refund is on its way.")]))
agent = create_agent(
    model,
    tools=[refund],
    middleware=[HumanInTheLoopMiddleware(interrupt_on={"refund": True})],
    # In production one that outlives the process, such as langgraph-checkpoint-postgres.
    checkpointer=InMemorySaver(),
)
with Countersign() as client:
    result = run_with_review(
        agent,
        {"messages": [{"role": "user", "content": "The teapot arrived with a crack."}]},
        client=client,
        config={"configurable": {"thread_id": sys.argv[1] if len(sys.argv) > 1 else "ticket-7"}},
        tools=[refund],
    )
print(result["messages"][-1].content)

"""A LangChain agent on LangGraph whose refunds wait for people."""
from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from countersign import Countersign
from countersign.langchain import run_with_review


@tool
def refund(order: str, amount: float) -> str:
    """Refunds an order, in EUR."""
    print("Refunded", amount, "for", order)
    return "Refunded."


agent = create_agent(
    "openai:gpt-5.2",
    tools=[refund],
    middleware=[HumanInTheLoopMiddleware(interrupt_on={"refund": True})],
    checkpointer=InMemorySaver(),  # for real: one that outlives the process
)
ticket = "My teapot arrived with a crack. Please refund 24.90 for BM-20418."
with Countersign() as client:
    result = run_with_review(
        agent,
        {"messages": [{"role": "user", "content": ticket}]},
        client=client,
        config={"configurable": {"thread_id": "ticket-7"}},
        tools=[refund],
    )
print(result["messages"][-1].text)

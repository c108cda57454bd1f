"""A Pydantic AI agent whose refunds wait for people."""
from pydantic_ai import Agent, DeferredToolRequests

from countersign import Countersign
from countersign.pydantic_ai import run_with_review

agent = Agent("openai:gpt-5.2", output_type=[str, DeferredToolRequests])


@agent.tool_plain(requires_approval=True)
def refund(order: str, amount: float) -> str:
    """Refunds an order, in EUR."""
    print("Refunded", amount, "for", order)
    return "Refunded."


ticket = "My teapot arrived with a crack. Please refund 24.90 for BM-20418."
with Countersign() as client:
    result = run_with_review(agent, ticket, client=client)
print(result.output)

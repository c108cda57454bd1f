"""An agent of the OpenAI Agents SDK whose refunds wait for people."""
from agents import Agent, function_tool

from countersign import Countersign
from countersign.openai_agents import run_with_review


@function_tool(needs_approval=True)
def refund(order: str, amount: float) -> str:
    """Refunds an order, in EUR."""
    print("Refunded", amount, "for", order)
    return "Refunded."


agent = Agent(name="Support", model="gpt-5.2", tools=[refund])
ticket = "My teapot arrived with a crack. Please refund 24.90 for BM-20418."
with Countersign() as client:
    result = run_with_review(agent, ticket, client=client)
print(result.final_output)

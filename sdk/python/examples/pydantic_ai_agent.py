"""A Pydantic AI agent whose refunds wait for a person. The model is scripted, so that no account is needed.

Set COUNTERSIGN_URL, COUNTERSIGN_API_KEY and COUNTERSIGN_PROJECT_ID, and decide the item in the queue. Killed while it
waits and started again, it goes on with the same item.
"""

from pathlib import Path
from typing import Any

from pydantic_ai import Agent, DeferredToolRequests
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from countersign import Countersign
from countersign.pydantic_ai import run_with_review


def scripted(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    """Asks for a refund, then ends."""
    if any(isinstance(part, ToolReturnPart) for part in messages[-1].parts):
        return ModelResponse(parts=[TextPart("The refund is on its way.")])
    return ModelResponse(parts=[ToolCallPart("refund", {"order": "BM-20418", "amount": 24.9})])


agent: Agent[None, Any] = Agent(FunctionModel(scripted), output_type=[str, DeferredToolRequests])


@agent.tool_plain(requires_approval=True)
def refund(order: str, amount: float) -> str:
    """Refunds an order, in EUR."""
    print(f"Refunded {amount} for {order}")
    return "Refunded."


paused = Path("pydantic-ai-agent.json")
with Countersign() as client:
    result = run_with_review(
        agent,
        "The teapot arrived with a crack.",
        client=client,
        save=lambda text: paused.write_text(text, "utf-8"),
        resume=paused.read_text("utf-8") if paused.exists() else None,
    )
paused.unlink(missing_ok=True)
print(result.output)

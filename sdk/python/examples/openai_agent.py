"""An agent of the OpenAI Agents SDK whose refunds wait for a person. The model is scripted: no account is needed.

Set COUNTERSIGN_URL, COUNTERSIGN_API_KEY and COUNTERSIGN_PROJECT_ID, and decide the item in the queue. Killed while it
waits and started again, it goes on with the same item.
"""

import json
from pathlib import Path
from typing import Any

from agents import Agent, Model, ModelResponse, RunConfig, Usage, function_tool
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from countersign import Countersign
from countersign.openai_agents import run_with_review


class ScriptedModel(Model):
    """Asks for a refund, then ends."""

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:  # noqa: ARG002
        """A call first, words after its result."""
        if isinstance(input, str) or not any(one.get("type") == "function_call_output" for one in input):
            arguments = json.dumps({"order": "BM-20418", "amount": 24.9})
            call = ResponseFunctionToolCall(arguments=arguments, call_id="c-1", name="refund", type="function_call")
            return ModelResponse(output=[call], usage=Usage(), response_id=None)
        text = ResponseOutputText(annotations=[], text="The refund is on its way.", type="output_text")
        message = ResponseOutputMessage(id="m-1", content=[text], role="assistant", status="completed", type="message")
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        """Not part of this example."""
        raise NotImplementedError


@function_tool(needs_approval=True)
def refund(order: str, amount: float) -> str:
    """Refunds an order, in EUR."""
    print(f"Refunded {amount} for {order}")
    return "Refunded."


paused = Path("openai-agent.json")
with Countersign() as client:
    result = run_with_review(
        Agent(name="Support", model=ScriptedModel(), tools=[refund]),
        "The teapot arrived with a crack.",
        client=client,
        save=lambda text: paused.write_text(text, "utf-8"),
        resume=paused.read_text("utf-8") if paused.exists() else None,
        run_config=RunConfig(tracing_disabled=True),
    )
paused.unlink(missing_ok=True)
print(result.final_output)

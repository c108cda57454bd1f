"""The OpenAI Agents SDK with a scripted model: each outcome of a review, and going on after a kill."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("agents", reason="The OpenAI Agents SDK is not installed")

from agents import Agent, ApplyPatchTool, Model, ModelResponse, RunConfig, ShellTool, Usage, function_tool
from agents.items import ToolApprovalItem
from openai.types.responses import (
    ResponseFunctionShellToolCall,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)
from reviews import APPROVE, EXPIRE, REFUSED, WITHDRAW, Killed, Reviews, edit, reject, respond

from countersign import WaitTimeout
from countersign.openai_agents import AlreadyReleased, PausedRun, arun_with_review, run_with_review, to_items

pytestmark = pytest.mark.usefixtures("loop")

if TYPE_CHECKING:
    from collections.abc import Callable

REFUND = ("refund", {"order": "BM-1", "amount": 24.9})
MAIL = ("mail", {"to": "ana@example.org"})
QUIET = RunConfig(tracing_disabled=True)


class ScriptedModel(Model):
    """Makes the calls, and ends once it has their results."""

    def __init__(self, shop: Shop) -> None:
        self.shop = shop

    async def get_response(self, *arguments: Any, **options: Any) -> ModelResponse:
        given = options.get("input", arguments[1] if len(arguments) > 1 else "")
        items = [] if isinstance(given, str) else given
        told = [str(one["output"]) for one in items if one.get("type") == "function_call_output"]
        self.shop.told = told
        output: list[Any] = []
        if told:
            text = ResponseOutputText(annotations=[], text="Done.", type="output_text")
            output = [
                ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
            ]
        else:
            # As models that number their calls do.
            output = [
                ResponseFunctionToolCall(
                    arguments=json.dumps(arguments), call_id=f"functions.{name}:{n}", name=name, type="function_call"
                )
                for n, (name, arguments) in enumerate(self.shop.calls)
            ]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


class Shop:
    """An agent with two tools that need approval, which note what they run with."""

    def __init__(self, *calls: tuple[str, dict[str, Any]]) -> None:
        self.ran: list[tuple[str, dict[str, Any]]] = []
        self.told: list[str] = []
        self.calls = calls

    def agent(self) -> Agent[Any]:
        @function_tool(needs_approval=True)
        def refund(order: str, amount: float) -> str:
            """Refunds an order."""
            self.ran.append(("refund", {"order": order, "amount": amount}))
            return "Refunded."

        @function_tool(needs_approval=True)
        def mail(to: str) -> str:
            """Writes to a customer."""
            self.ran.append(("mail", {"to": to}))
            return "Sent."

        return Agent(name="Support", model=ScriptedModel(self), tools=[refund, mail])


@pytest.fixture(params=["run_with_review", "arun_with_review"])
def run(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """The driver, in both kinds."""
    ask = "The teapot arrived with a crack."
    if request.param == "run_with_review":
        return lambda agent, reviews, **options: run_with_review(
            agent, ask, client=reviews.client(), run_config=QUIET, **options
        )
    return lambda agent, reviews, **options: asyncio.run(
        arun_with_review(agent, ask, client=reviews.async_client(), run_config=QUIET, **options)
    )


def test_runs_what_a_person_approved(run: Any) -> None:
    shop, reviews = Shop(REFUND), Reviews(refund=APPROVE)
    assert run(shop.agent(), reviews).final_output == "Done."
    assert shop.ran == [REFUND]
    [sent] = reviews.sent()
    assert sent["suggestion"] == {"name": "refund", "arguments": REFUND[1]}
    assert sent["answer_schema"]["required"] == ["order", "amount"]


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        (reject("Ask for a photo."), "Ask for a photo."),
        (respond("Send a replacement."), "Send a replacement."),
        (edit(order="BM-1", amount=20.0), 'exactly these arguments: {"order": "BM-1", "amount": 20.0}'),
        (EXPIRE, "before its deadline"),
        (WITHDRAW, "withdrawn"),
        (REFUSED, "was rejected"),
    ],
)
def test_runs_nothing_and_tells_the_model_why(run: Any, plan: dict[str, Any], told: str) -> None:
    shop = Shop(REFUND)
    run(shop.agent(), Reviews(refund=plan))
    assert shop.ran == []
    assert told in shop.told[0]


def test_reviews_two_calls_at_once_each_with_its_own_decision(run: Any) -> None:
    shop, reviews = Shop(REFUND, MAIL), Reviews(refund=reject("No."), mail=APPROVE)
    waited: list[int] = []
    reviews.on_wait = lambda: waited.append(len(reviews.items))
    run(shop.agent(), reviews)
    assert shop.ran == [MAIL]
    assert waited[0] == 2


def test_goes_on_after_the_process_was_killed_with_the_same_item(run: Any) -> None:
    shop, reviews = Shop(REFUND), Reviews(refund=APPROVE)
    saved: list[str] = []

    def kill() -> None:
        raise Killed

    reviews.on_wait = kill
    with pytest.raises(Killed):
        run(shop.agent(), reviews, save=saved.append)
    reviews.on_wait = lambda: None
    again = Shop(REFUND)
    assert run(again.agent(), reviews, resume=saved[-1]).final_output == "Done."
    assert again.ran == [REFUND]
    assert (len(reviews.items), reviews.submissions) == (1, 2)


def test_a_call_with_the_same_id_in_another_run_is_another_item(run: Any) -> None:
    reviews = Reviews(refund=APPROVE)
    run(Shop(REFUND).agent(), reviews)
    run(Shop(REFUND).agent(), reviews)
    assert len(reviews.items) == 2


def test_a_timeout_leaves_the_item_waiting() -> None:
    shop, reviews = Shop(REFUND), Reviews(refund={"status": "queued"})
    saved: list[str] = []
    with pytest.raises(WaitTimeout) as timeout:
        run_with_review(shop.agent(), "?", client=reviews.client(), timeout=0, save=saved.append, run_config=QUIET)
    assert timeout.value.paused_run == saved[-1]
    reviews.script["refund"] = APPROVE
    run_with_review(shop.agent(), client=reviews.client(), resume=saved[-1], run_config=QUIET)
    assert (len(shop.ran), len(reviews.items)) == (1, 1)


class Numbered(Model):
    """Makes these calls with IDs from 0 in every run, and ends with the results."""

    def __init__(self, name: str, *arguments: dict[str, Any]) -> None:
        self.name, self.arguments = name, arguments

    async def get_response(self, *arguments: Any, **options: Any) -> ModelResponse:
        given = options.get("input", arguments[1] if len(arguments) > 1 else "")
        items = [] if isinstance(given, str) else given
        told = [str(one["output"]) for one in items if one.get("type") == "function_call_output"]
        if told:
            text = ResponseOutputText(annotations=[], text=" ".join(told), type="output_text")
            end = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
            return ModelResponse(output=[end], usage=Usage(), response_id=None)
        calls: list[Any] = [
            ResponseFunctionToolCall(
                arguments=json.dumps(one), call_id=f"functions.{self.name}:{n}", name=self.name, type="function_call"
            )
            for n, one in enumerate(self.arguments)
        ]
        return ModelResponse(output=calls, usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


class Desk:
    """An agent with two others as its tools; the call of each has the same ID."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, dict[str, Any]]] = []

    def agent(self) -> Agent[Any]:
        class Both(Numbered):
            async def get_response(self, *arguments: Any, **options: Any) -> ModelResponse:
                response = await super().get_response(*arguments, **options)
                for one in response.output:
                    if isinstance(one, ResponseFunctionToolCall):
                        one.name = "refunds" if one.call_id.endswith(":0") else "goodwill"
                return response

        @function_tool(needs_approval=True)
        def refund(order: str, amount: float) -> str:
            """Refunds an order."""
            self.ran.append(("refund", {"order": order, "amount": amount}))
            return f"Refunded {order}."

        def part(name: str, order: str) -> Any:
            model = Numbered("refund", {"order": order, "amount": 24.9})
            return Agent(name=name, model=model, tools=[refund]).as_tool(name, name)

        tools = [part("refunds", "BM-1"), part("goodwill", "BM-2")]
        return Agent(name="Desk", model=Both("part", {"input": "1"}, {"input": "2"}), tools=tools)


def test_reviews_calls_with_the_same_id_of_two_agents_each_with_its_own_item(run: Any) -> None:
    desk, reviews = Desk(), Reviews(refund=APPROVE)
    assert run(desk.agent(), reviews).final_output == "Refunded BM-1. Refunded BM-2."
    assert [arguments["order"] for _, arguments in desk.ran] == ["BM-1", "BM-2"]
    assert len(reviews.items) == 2


def test_calls_with_the_same_id_keep_their_items_after_a_kill(run: Any) -> None:
    reviews = Reviews(refund=APPROVE)
    saved: list[str] = []

    def kill() -> None:
        raise Killed

    reviews.on_wait = kill
    with pytest.raises(Killed):
        run(Desk().agent(), reviews, save=saved.append)
    reviews.on_wait = lambda: None
    again = Desk()
    run(again.agent(), reviews, resume=saved[-1])
    assert [arguments["order"] for _, arguments in again.ran] == ["BM-1", "BM-2"]
    assert (len(reviews.items), reviews.submissions) == (2, 4)


def test_a_call_whose_id_no_other_has_keeps_the_key_of_the_version_before(run: Any) -> None:
    reviews = Reviews(refund=APPROVE)
    saved: list[str] = []
    run(Desk().agent(), reviews, save=saved.append)
    # The second had no item before: its submission was refused.
    assert next(iter(reviews.items)) == f"{json.loads(saved[0])['id']}:functions.refund:0"


def test_no_two_calls_of_a_stop_have_one_key() -> None:
    def item(call_id: str | None) -> Any:
        raw = {"type": "function_call", "call_id": call_id, "name": "refund", "arguments": "{}"}
        return ToolApprovalItem(agent=Agent(name="Support"), raw_item=raw)

    class Stopped:
        def get_interruptions(self) -> list[Any]:
            return [item(one) for one in ("x", "x#2", "x", None, "3", "x")]

    keys = [call.idempotency_key for call in to_items(PausedRun(id="run", state=Stopped()))]  # type: ignore[arg-type]
    assert keys[:2] == ["run:x", "run:x#2"]
    assert len(set(keys)) == 6


class OneCall(Model):
    """Makes this call, then ends."""

    def __init__(self, call: Any) -> None:
        self.calls = [call]

    async def get_response(self, *_: Any, **__: Any) -> ModelResponse:
        text = ResponseOutputText(annotations=[], text="Done.", type="output_text")
        end = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
        return ModelResponse(output=[self.calls.pop() if self.calls else end], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


def test_reviewers_see_what_a_shell_would_run() -> None:
    ran: list[str] = []
    call = ResponseFunctionShellToolCall.model_validate(
        {
            "id": "sh-1",
            "call_id": "c-1",
            "type": "shell_call",
            "status": "completed",
            "action": {"commands": ["rm -rf /data"], "timeout_ms": 1000, "max_output_length": 100},
            "environment": None,
        }
    )

    def execute(request: Any) -> str:
        ran.extend(request.data.action.commands)
        return ""

    shell = ShellTool(executor=execute, needs_approval=True)
    agent: Agent[Any] = Agent(name="Support", model=OneCall(call), tools=[shell])
    reviews = Reviews(shell=APPROVE)
    run_with_review(agent, "?", client=reviews.client(), run_config=QUIET)
    [sent] = reviews.sent()
    assert sent["suggestion"]["arguments"]["action"]["commands"] == ["rm -rf /data"]
    assert sent["answer_schema"] is None
    assert ran == ["rm -rf /data"]


def test_reviewers_see_what_a_patch_would_change() -> None:
    operation = {"type": "delete_file", "path": "/etc/passwd"}
    call = {"type": "apply_patch_call", "id": "p-1", "call_id": "c-2", "status": "completed", "operation": operation}

    class Editor:
        def delete_file(self, _: Any) -> None:
            raise AssertionError

        create_file = update_file = delete_file

    patch = ApplyPatchTool(editor=Editor(), needs_approval=True)
    agent: Agent[Any] = Agent(name="Support", model=OneCall(call), tools=[patch])
    reviews = Reviews(apply_patch=reject("Never."))
    run_with_review(agent, "?", client=reviews.client(), run_config=QUIET)
    [sent] = reviews.sent()
    assert sent["suggestion"]["arguments"] == {"operation": operation}


def test_a_run_that_was_killed_in_its_tool_is_not_run_again(run: Any) -> None:
    shop, reviews = Shop(REFUND), Reviews(refund=APPROVE)
    saved: list[str] = []
    run(shop.agent(), reviews, save=saved.append)
    # Before the wait, and before the tool.
    assert len(saved) == 2
    again = Shop(REFUND)
    with pytest.raises(AlreadyReleased, match="may have run"):
        run(again.agent(), reviews, resume=saved[-1])
    assert again.ran == []


def test_waits_until_a_run_is_stored() -> None:
    shop, reviews = Shop(REFUND), Reviews(refund=APPROVE)
    saved: list[str] = []

    async def save(text: str) -> None:
        await asyncio.sleep(0)
        saved.append(text)

    asyncio.run(arun_with_review(shop.agent(), "?", client=reviews.async_client(), save=save, run_config=QUIET))
    assert len(saved) == 2


@pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")
def test_refuses_to_store_what_nobody_awaits() -> None:
    async def save(_: str) -> None: ...

    with pytest.raises(TypeError, match="arun_with_review"):
        run_with_review(Shop(REFUND).agent(), "?", client=Reviews().client(), save=save, run_config=QUIET)

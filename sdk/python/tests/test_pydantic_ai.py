"""Pydantic AI's own agents and function model: each outcome of a review, and going on after a kill."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("pydantic_ai", reason="Pydantic AI is not installed")

from pydantic_ai import Agent, CombinedToolset, DeferredToolRequests, FunctionToolset
from pydantic_ai.exceptions import CallDeferred
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from reviews import APPROVE, EXPIRE, REFUSED, WITHDRAW, Killed, Reviews, edit, reject, respond

from countersign import WaitTimeout
from countersign.pydantic_ai import (
    AlreadyReleased,
    PausedRun,
    UnknownInterrupt,
    arun_with_review,
    run_with_review,
    to_items,
)

pytestmark = pytest.mark.usefixtures("loop")

if TYPE_CHECKING:
    from collections.abc import Callable

REFUND = ToolCallPart("refund", {"order": "BM-1", "amount": 24.9}, tool_call_id="call_0")
MAIL = ToolCallPart("mail", '{"to": "ana@example.org"}', tool_call_id="call_1")


class Shop:
    """An agent with two tools that need approval, which note what they run with."""

    def __init__(self, *calls: ToolCallPart) -> None:
        self.ran: list[tuple[str, dict[str, Any]]] = []
        self.told: list[str] = []
        self.calls = list(calls)

    def model(self, messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        returned = [part for part in messages[-1].parts if isinstance(part, ToolReturnPart)]
        if not returned:
            return ModelResponse(parts=list(self.calls))
        self.told = [str(part.content) for part in returned]
        return ModelResponse(parts=[TextPart("Done.")])

    def agent(self) -> Agent[None, Any]:
        agent: Agent[None, Any] = Agent(FunctionModel(self.model), output_type=[str, DeferredToolRequests])

        @agent.tool_plain(requires_approval=True)
        def refund(order: str, amount: float) -> str:
            """Refunds an order."""
            self.ran.append(("refund", {"order": order, "amount": amount}))
            return "Refunded."

        @agent.tool_plain(requires_approval=True)
        def mail(to: str) -> str:
            """Writes to a customer."""
            self.ran.append(("mail", {"to": to}))
            return "Sent."

        return agent


@pytest.fixture(params=["run_with_review", "arun_with_review"])
def run(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """The driver, in both kinds."""
    if request.param == "run_with_review":
        return lambda agent, reviews, **options: run_with_review(
            agent, "The teapot arrived with a crack.", client=reviews.client(), **options
        )
    return lambda agent, reviews, **options: asyncio.run(
        arun_with_review(agent, "The teapot arrived with a crack.", client=reviews.async_client(), **options)
    )


def test_runs_what_a_person_approved(run: Any) -> None:
    shop, reviews = Shop(REFUND), Reviews(refund=APPROVE)
    assert run(shop.agent(), reviews).output == "Done."
    assert shop.ran == [("refund", REFUND.args)]
    [sent] = reviews.sent()
    assert sent["suggestion"] == {"name": "refund", "arguments": REFUND.args}
    assert sent["answer_schema"]["required"] == ["order", "amount"]


def test_keeps_the_form_of_a_tool_whose_schema_has_a_pattern_that_looks_ahead(run: Any) -> None:
    shop, reviews = Shop(REFUND), Reviews(refund=APPROVE)
    agent: Agent[None, Any] = Agent(FunctionModel(shop.model), output_type=[str, DeferredToolRequests])

    @agent.tool_plain(requires_approval=True)
    def refund(order: str, amount: Decimal) -> str:
        """Refunds an order."""
        shop.ran.append((order, {"amount": amount}))
        return "Refunded."

    run(agent, reviews)
    assert shop.ran == [("BM-1", {"amount": Decimal("24.9")})]
    [sent] = reviews.sent()
    assert sent["answer_schema"]["properties"]["amount"] == {"anyOf": [{"type": "number"}, {"type": "string"}]}


def tools() -> FunctionToolset[None]:
    def refund(order: str, amount: float) -> str:
        """Refunds an order."""
        return f"Refunded {amount} for {order}."

    return FunctionToolset([refund])


@pytest.mark.parametrize(
    ("name", "toolset"),
    [
        ("refund", tools().approval_required()),
        ("shop_refund", tools().prefixed("shop").approval_required()),
        ("shop_refund", tools().approval_required().prefixed("shop")),
        ("a_b_refund", tools().prefixed("b").prefixed("a").approval_required()),
        ("pay_back", tools().renamed({"pay_back": "refund"}).approval_required()),
        ("refund", tools().filtered(lambda *_: True).approval_required()),
        ("refund", CombinedToolset[Any]([FunctionToolset(), tools()]).approval_required()),
        ("shop_refund", CombinedToolset([tools(), CombinedToolset([tools().prefixed("shop")])]).approval_required()),
    ],
)
@pytest.mark.parametrize("of_run", [False, True])
def test_the_form_of_a_tool_is_found_in_what_wraps_its_toolset(run: Any, name: str, toolset: Any, of_run: bool) -> None:
    shop, reviews = Shop(replace(REFUND, tool_name=name)), Reviews(**{name: APPROVE})
    own = [] if of_run else [toolset]
    agent: Agent[None, Any] = Agent(FunctionModel(shop.model), toolsets=own, output_type=[str, DeferredToolRequests])
    run(agent, reviews, **({"toolsets": [toolset]} if of_run else {}))
    assert shop.told == ["Refunded 24.9 for BM-1."]
    [sent] = reviews.sent()
    assert sent["answer_schema"]["required"] == ["order", "amount"]


def test_a_tool_has_no_form_of_another_with_its_name_or_of_what_a_program_prepares() -> None:
    async def prepare(_: Any, given: list[Any]) -> list[Any]:
        return given

    for name, toolset in [
        ("refund", tools().prefixed("shop")),
        ("shop_", tools().prefixed("shop")),
        ("refund", tools().renamed({"pay_back": "refund"})),
        ("refund", tools().prepared(prepare)),
        ("refund", lambda _: tools()),
    ]:
        requests = DeferredToolRequests(approvals=[replace(REFUND, tool_name=name)])
        [call] = to_items(PausedRun(messages=[], requests=requests), toolsets=[toolset])  # type: ignore[list-item]
        assert call.arguments_schema is None


def test_runs_with_the_arguments_that_a_person_changed(run: Any) -> None:
    shop = Shop(REFUND)
    run(shop.agent(), Reviews(refund=edit(order="BM-1", amount=20.0)))
    assert shop.ran == [("refund", {"order": "BM-1", "amount": 20.0})]


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        (reject("Ask for a photo."), "Ask for a photo."),
        (respond("Send a replacement."), "Send a replacement."),
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
    assert shop.ran == [("mail", {"to": "ana@example.org"})]
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
    assert run(again.agent(), reviews, resume=saved[-1]).output == "Done."
    assert again.ran == [("refund", REFUND.args)]
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
        run_with_review(shop.agent(), "?", client=reviews.client(), timeout=0, save=saved.append)
    assert timeout.value.paused_run == saved[-1]
    reviews.script["refund"] = APPROVE
    run_with_review(shop.agent(), client=reviews.client(), resume=saved[-1])
    assert (len(shop.ran), len(reviews.items)) == (1, 1)


def test_a_result_from_outside_is_left_to_its_program() -> None:
    agent: Agent[None, Any] = Agent(
        FunctionModel(lambda *_: ModelResponse(parts=[ToolCallPart("look_up", {}, tool_call_id="call_0")])),
        output_type=[str, DeferredToolRequests],
    )

    @agent.tool_plain
    def look_up() -> str:
        """Asks another system."""
        raise CallDeferred

    with pytest.raises(UnknownInterrupt, match="look_up"):
        run_with_review(agent, "?", client=Reviews().client())


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

    asyncio.run(arun_with_review(shop.agent(), "?", client=reviews.async_client(), save=save))
    assert len(saved) == 2


@pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")
def test_refuses_to_store_what_nobody_awaits() -> None:
    async def save(_: str) -> None: ...

    with pytest.raises(TypeError, match="arun_with_review"):
        run_with_review(Shop(REFUND).agent(), "?", client=Reviews().client(), save=save)

"""Repeated and new messages to a LangChain thread that has not ended."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("langchain", reason="LangChain is not installed")

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.types import Command
from reviews import APPROVE, Reviews
from shop import CONFIG, REFUND, RUNS, ScriptedModel, Shop

from countersign import WaitTimeout
from countersign.langchain import run_with_review


@pytest.fixture(params=RUNS)
def run(request: pytest.FixtureRequest) -> Any:
    """The driver, in both kinds."""
    return request.param


def stopped_in_its_second_turn(reviews: Reviews) -> Any:
    """An agent that has answered `yes`, and waits for a refund since `Refund it`."""
    shop = Shop(REFUND)
    words = [AIMessage("Shall I?"), AIMessage(content="", tool_calls=[REFUND]), AIMessage("Done.")]
    agent: Any = create_agent(
        ScriptedModel(messages=iter(words)),
        tools=shop.tools(),
        middleware=[HumanInTheLoopMiddleware(interrupt_on={"refund": True})],
        checkpointer=shop.checkpoints,
    )
    agent.invoke({"messages": [HumanMessage("yes", id="m-1")]}, CONFIG)
    second = {"messages": [HumanMessage("Refund it", id="m-2"), HumanMessage("now", id="m-3")]}
    with pytest.raises(WaitTimeout):
        run_with_review(agent, second, client=reviews.client(), config=CONFIG, timeout=0)
    reviews.script["refund"] = APPROVE
    return agent


@pytest.mark.parametrize(
    "repeated",
    [
        [{"role": "user", "content": "Refund it"}, ("user", "now")],
        [HumanMessage("Refund it", id="m-2"), HumanMessage("now", id="m-3")],
        # A middleware may have changed the texts.
        [HumanMessage("Refund [redacted]", id="m-2"), "now"],
        ["yes", AIMessage("Shall I?"), "Refund it", "now"],
    ],
)
def test_the_messages_that_began_a_turn_may_come_again(run: Any, repeated: list[Any]) -> None:
    agent = stopped_in_its_second_turn(Reviews(refund={"status": "queued"}))
    result = run(agent, {"messages": repeated}, Reviews(refund=APPROVE))
    assert [one.type for one in result["messages"]] == ["human", "ai", "human", "human", "ai", "tool", "ai"]


@pytest.mark.parametrize(
    "new",
    [
        *(["yes"], ["now"], ["Refund it"], ["now", "Refund it"], ["Refund it", "now", "now"], "yes"),
        *([""], [AIMessage("")]),
        [HumanMessage("Refund it", id="m-2"), HumanMessage("now", id="m-4")],
    ],
)
def test_a_new_message_is_refused_although_its_text_occurred_before(run: Any, new: Any) -> None:
    agent = stopped_in_its_second_turn(Reviews(refund={"status": "queued"}))
    with pytest.raises(ValueError, match="input=None"):
        run(agent, {"messages": new}, Reviews(refund=APPROVE))


def test_an_only_message_may_come_again_without_a_list(run: Any) -> None:
    shop, reviews = Shop(REFUND), Reviews(refund={"status": "queued"})
    with pytest.raises(WaitTimeout):
        run_with_review(shop.agent(), {"messages": "Refund it"}, client=reviews.client(), config=CONFIG, timeout=0)
    reviews.script["refund"] = APPROVE
    run(shop.agent(resumed=True), {"messages": "Refund it"}, reviews)
    assert len(shop.ran) == 1


class Interjecting(AgentMiddleware):
    """Puts a message of type human into the turn before each call of the model."""

    def before_model(self, *_: Any) -> dict[str, Any]:
        return {"messages": [HumanMessage("Context: the shop is open.")]}


class Summarizing(AgentMiddleware):
    """Replaces all messages by a summary before each call of the model."""

    def before_model(self, *_: Any) -> dict[str, Any]:
        return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), HumanMessage("Here is a summary.")]}


class InTwoSteps:
    """An agent that says `Shall I?`, and in its second turn asks for two refunds, one after the other."""

    def __init__(self, middleware: Any, **options: Any) -> None:
        self.shop, self.middleware, self.options = Shop(), middleware, options
        self.reviews = Reviews(refund=APPROVE)

    def agent(self, *words: AIMessage) -> Any:
        gate = HumanInTheLoopMiddleware(interrupt_on={"refund": True})
        return create_agent(
            ScriptedModel(messages=iter(words)),
            tools=self.shop.tools(),
            middleware=[*self.middleware, gate],
            checkpointer=self.shop.checkpoints,
        )

    def stop(self, ask: Any) -> None:
        """The second turn waits for its second refund."""
        first, second = (AIMessage("", tool_calls=[{**REFUND, "id": id}]) for id in ("call-1", "call-2"))
        agent = self.agent(AIMessage("Shall I?"), first, second)
        agent.invoke({"messages": ["yes"]}, CONFIG, **self.options)
        agent.invoke(ask, CONFIG, **self.options)
        agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), CONFIG, **self.options)


@pytest.mark.parametrize("middleware", [[], [Interjecting()], [Summarizing()], [Summarizing(), Interjecting()]])
def test_the_same_line_goes_on_after_a_middleware_changed_the_messages(run: Any, middleware: Any) -> None:
    test = InTwoSteps(middleware)
    test.stop({"messages": [("user", "Refund it")]})
    for new in ("yes", "Context: the shop is open.", "Here is a summary.", "Shall I?"):
        with pytest.raises(ValueError, match="input=None"):
            run(test.agent(), {"messages": [("user", new)]}, test.reviews)
    result = run(test.agent(AIMessage("Done.")), {"messages": [("user", "Refund it")]}, test.reviews)
    assert (result["messages"][-1].content, len(test.shop.ran)) == ("Done.", 2)


def test_the_same_line_goes_on_where_only_its_input_was_stored(run: Any) -> None:
    test = InTwoSteps([])
    ask: Any = {"messages": [("user", "Refund it")]}
    agent = create_agent(
        ScriptedModel(messages=iter([AIMessage("Done.")])),
        checkpointer=test.shop.checkpoints,
        interrupt_before=["model"],
    )
    agent.invoke(ask, CONFIG)
    with pytest.raises(ValueError, match="input=None"):
        run(agent, {"messages": ["Refund"]}, test.reviews)
    assert [one.type for one in run(agent, ask, test.reviews)["messages"]] == ["human", "ai"]


@pytest.mark.parametrize("middleware", [[], [Interjecting()]])
def test_without_a_stored_input_the_messages_of_the_turn_tell(run: Any, middleware: Any) -> None:
    test = InTwoSteps(middleware, durability="exit")
    test.stop({"messages": ["Refund it", "now"]})
    answered = ["yes", AIMessage("Shall I?")]
    for new in (["yes"], answered, ["now", "Refund it"], ["no", *answered, "now"], ["Refund it", "now", "now"]):
        with pytest.raises(ValueError, match="input=None"):
            run(test.agent(), {"messages": new}, test.reviews)
    run(test.agent(AIMessage("Done.")), {"messages": [*answered, "Refund it", "now"]}, test.reviews)
    assert len(test.shop.ran) == 2


def test_without_a_stored_input_a_summarized_turn_takes_no_messages(run: Any) -> None:
    test = InTwoSteps([Summarizing()], durability="exit")
    test.stop({"messages": ["Refund it"]})
    with pytest.raises(ValueError, match="input=None"):
        run(test.agent(), {"messages": ["Refund it"]}, test.reviews)
    run(test.agent(AIMessage("Done.")), None, test.reviews)
    assert len(test.shop.ran) == 2


def test_the_stored_input_of_an_earlier_turn_does_not_tell(run: Any) -> None:
    test = InTwoSteps([])
    test.agent(AIMessage("Shall I?")).invoke({"messages": ["yes"]}, CONFIG)
    agent = test.agent(AIMessage("", tool_calls=[REFUND]))
    agent.invoke({"messages": ["Refund it"]}, CONFIG, durability="exit")
    with pytest.raises(ValueError, match="input=None"):
        run(test.agent(), {"messages": ["yes"]}, test.reviews)
    run(test.agent(AIMessage("Done.")), {"messages": ["Refund it"]}, test.reviews)
    assert len(test.shop.ran) == 1

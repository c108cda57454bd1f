"""LangChain's own agents, middleware, checkpoints and fake model: each outcome of a review, and its resumption."""

from __future__ import annotations

from typing import Any, TypedDict

import pytest

pytest.importorskip("langchain", reason="LangChain is not installed")

from langchain_core.messages import ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Interrupt, interrupt
from pydantic import BaseModel, ValidationError
from reviews import APPROVE, EXPIRE, REFUSED, WITHDRAW, Killed, Reviews, edit, reject, respond
from shop import ASK, CONFIG, MAIL, REFUND, RUNS, Shop

from countersign import WaitTimeout
from countersign.langchain import DecisionNotAllowed, UnknownInterrupt, run_with_review, to_items


class Line(BaseModel):
    article: str


def answers(result: dict[str, Any]) -> list[tuple[str, str]]:
    """What the model was told of each call."""
    return [(str(one.name), str(one.content)) for one in result["messages"] if isinstance(one, ToolMessage)]


@pytest.fixture(params=RUNS)
def run(request: pytest.FixtureRequest) -> Any:
    """The driver, in both kinds."""
    return request.param


@pytest.fixture(params=["batched", "per_call"])
def mode(request: pytest.FixtureRequest) -> Any:
    """How the middleware stops."""
    return request.param


def test_runs_what_a_person_approved(run: Any, mode: Any) -> None:
    shop, reviews = Shop(REFUND, mode=mode), Reviews(refund=APPROVE)
    result = run(shop.agent(), ASK, reviews)
    assert shop.ran == [("refund", REFUND["args"])]
    assert result["messages"][-1].content == "Done."
    [sent] = reviews.sent()
    assert (sent["kind"], sent["suggestion"]) == ("tool_call", {"name": "refund", "arguments": REFUND["args"]})


def test_runs_with_the_arguments_that_a_person_changed(run: Any, mode: Any) -> None:
    shop = Shop(REFUND, mode=mode)
    run(shop.agent(), ASK, Reviews(refund=edit(order="BM-1", amount=20.0)))
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
def test_runs_nothing_and_tells_the_model_why(run: Any, mode: Any, plan: dict[str, Any], told: str) -> None:
    shop = Shop(REFUND, mode=mode)
    result = run(shop.agent(), ASK, Reviews(refund=plan))
    assert shop.ran == []
    [(name, text)] = answers(result)
    assert name == "refund"
    assert told in text


def test_reviews_two_calls_at_once_each_with_its_own_decision(run: Any, mode: Any) -> None:
    shop, reviews = Shop(REFUND, MAIL, mode=mode), Reviews(refund=reject("No."), mail=APPROVE)
    waited: list[int] = []
    reviews.on_wait = lambda: waited.append(len(reviews.items))
    run(shop.agent(), ASK, reviews)
    assert shop.ran == [("mail", MAIL["args"])]
    # Both are with the reviewers before anybody waits.
    assert waited[0] == 2


def test_goes_on_after_the_process_was_killed_with_the_same_item(run: Any, mode: Any) -> None:
    shop, reviews = Shop(REFUND, mode=mode), Reviews(refund=APPROVE)

    def kill() -> None:
        raise Killed

    reviews.on_wait = kill
    with pytest.raises(Killed):
        run(shop.agent(), ASK, reviews)
    reviews.on_wait = lambda: None
    run(shop.agent(resumed=True), ASK, reviews)
    assert shop.ran == [("refund", REFUND["args"])]
    assert (len(reviews.items), reviews.submissions) == (1, 2)


def test_the_same_call_in_another_thread_is_another_item(mode: Any) -> None:
    reviews = Reviews(refund=APPROVE)
    for thread in ("a", "b"):
        shop = Shop(REFUND, mode=mode)
        config: Any = {"configurable": {"thread_id": thread}}
        run_with_review(shop.agent(), ASK, client=reviews.client(), config=config)
        assert len(shop.ran) == 1
    assert len(reviews.items) == 2


def test_people_edit_in_a_form_made_from_the_tool(mode: Any) -> None:
    from langchain_core.tools import tool

    shop, reviews = Shop(REFUND, mode=mode), Reviews(refund=APPROVE)
    tools = [tool(one) for one in shop.tools()]
    run_with_review(shop.agent(), ASK, client=reviews.client(), config=CONFIG, tools=tools)
    [sent] = reviews.sent()
    schema = sent["answer_schema"]
    assert schema["required"] == ["order", "amount"]
    assert schema["properties"]["amount"]["type"] == "number"


def test_people_edit_in_the_form_that_an_interrupt_of_one_call_brings(run: Any) -> None:
    shop, reviews = Shop(REFUND, mode="per_call"), Reviews(refund=APPROVE)
    run(shop.agent(), ASK, reviews)
    [sent] = reviews.sent()
    schema = sent["answer_schema"]
    assert (schema["type"], schema["required"]) == ("object", ["order", "amount"])
    assert schema["properties"]["amount"]["type"] == "number"
    # Nothing of the decisions of the middleware.
    assert "$defs" not in schema


def test_the_form_of_an_interrupt_has_the_types_inside_of_its_arguments() -> None:
    def order(lines: list[Line]) -> str:
        """Orders articles."""
        return str(len(lines))

    shop = Shop({"name": "refund", "args": {"lines": []}, "id": "call-1", "type": "tool_call"}, mode="per_call")
    order.__name__ = "refund"
    shop.tools = lambda: [order]  # type: ignore[method-assign]
    reviews = Reviews(refund=APPROVE)
    run_with_review(shop.agent(), ASK, client=reviews.client(), config=CONFIG)
    [sent] = reviews.sent()
    assert list(sent["answer_schema"]["$defs"]) == ["Line"]


def test_the_types_of_an_interrupt_are_followed_through_each_other() -> None:
    branch = {"properties": {"type": {"const": "edit"}, "edited_action": {"$ref": "#/$defs/Action"}}}
    defs: dict[str, Any] = {
        "Action": {"properties": {"args": {"$ref": "#/$defs/Arguments"}}},
        "Arguments": {"type": "object", "properties": {"tree": {"$ref": "#/$defs/Tree"}}},
        "Tree": {"type": "object", "properties": {"under": {"anyOf": [{"$ref": "#/$defs/Tree"}, {"type": "null"}]}}},
    }
    value = {"type": "tool_approval", "name": "plant", "args": {}}
    [call] = to_items(Interrupt(value=value, id="i-1", response_schema={**branch, "$defs": defs}))
    assert call.arguments_schema == {**defs["Arguments"], "$defs": {"Tree": defs["Tree"]}}
    [call] = to_items(Interrupt(value=value, id="i-1", response_schema={"$ref": "https://example.org/elsewhere"}))
    assert call.arguments_schema is None


def test_goes_on_with_an_item_that_was_submitted_without_its_form(run: Any) -> None:
    shop, reviews = Shop(REFUND, mode="per_call"), Reviews(refund={"status": "queued"})
    with pytest.raises(WaitTimeout):
        run_with_review(shop.agent(), ASK, client=reviews.client(), config=CONFIG, timeout=0)
    # As a version before submitted it.
    for item in reviews.items.values():
        item["sent"]["answer_schema"] = None
    reviews.script["refund"] = APPROVE
    run(shop.agent(resumed=True), None, reviews)
    assert (len(shop.ran), len(reviews.items)) == (1, 1)


@pytest.mark.parametrize("second", [APPROVE, edit(to="ben@example.org")])
def test_an_edit_that_the_tool_refuses_reaches_the_model_and_runs_the_other_call_once(
    run: Any, second: dict[str, Any]
) -> None:
    shop = Shop(REFUND, MAIL, mode="per_call")
    result = run(shop.agent(), ASK, Reviews(refund=edit(order="BM-1", amount="twenty"), mail=second))
    assert shop.ran == [("mail", second.get("arguments", MAIL["args"]))]
    told = dict(answers(result))["refund"]
    assert '{"order": "BM-1", "amount": "twenty"}' in told
    assert "not run" in told
    assert result["messages"][-1].content == "Done."


def test_a_thread_that_stopped_at_a_refused_edit_goes_on(run: Any) -> None:
    shop, reviews = Shop(REFUND, mode="per_call"), Reviews(refund=edit(order="BM-1", amount="twenty"))
    agent = shop.agent()
    [stopped] = agent.invoke(ASK, CONFIG)["__interrupt__"]
    [call] = to_items(stopped)
    edited = {"type": "edit", "edited_action": {"name": call.name, "args": {"order": "BM-1", "amount": "twenty"}}}
    with pytest.raises(ValidationError):
        agent.invoke(Command(resume={stopped.id: edited}), CONFIG)
    result = run(shop.agent(resumed=True), None, reviews)
    assert "not run" in dict(answers(result))["refund"]
    assert shop.ran == []


def test_a_refused_edit_of_a_call_that_nobody_may_reject_says_what_to_allow() -> None:
    shop = Shop(REFUND, mode="per_call", allowed=["approve", "edit"])
    reviews = Reviews(refund=edit(order="BM-1", amount="twenty"))
    with pytest.raises(DecisionNotAllowed, match="Allow 'reject'"):
        run_with_review(shop.agent(), ASK, client=reviews.client(), config=CONFIG)
    assert shop.ran == []


def test_reviewers_may_do_only_what_the_middleware_allows(mode: Any) -> None:
    shop, reviews = Shop(REFUND, mode=mode, allowed=["reject", "approve"]), Reviews(refund=APPROVE)
    run_with_review(
        shop.agent(), ASK, client=reviews.client(), config=CONFIG, submission_options={"risk_flags": ["money"]}
    )
    [sent] = reviews.sent()
    assert (sent["allowed_actions"], sent["risk_flags"]) == (["approve", "reject"], ["money"])


def test_an_end_that_the_middleware_does_not_take_runs_nothing(mode: Any) -> None:
    shop = Shop(REFUND, mode=mode, allowed=["approve", "edit"])
    with pytest.raises(DecisionNotAllowed, match="Allow 'reject'"):
        run_with_review(shop.agent(), ASK, client=Reviews(refund=EXPIRE).client(), config=CONFIG)
    assert shop.ran == []


def test_a_timeout_leaves_the_thread_and_its_item_waiting() -> None:
    shop, reviews = Shop(REFUND), Reviews(refund={"status": "queued"})
    with pytest.raises(WaitTimeout):
        run_with_review(shop.agent(), ASK, client=reviews.client(), config=CONFIG, timeout=0)
    reviews.script["refund"] = APPROVE
    run_with_review(shop.agent(resumed=True), None, client=reviews.client(), config=CONFIG)
    assert (len(shop.ran), len(reviews.items)) == (1, 1)


def test_an_interrupt_of_another_kind_is_left_to_its_program() -> None:
    class Form(TypedDict):
        name: str

    def ask(_: Form) -> Form:
        return {"name": interrupt("What is your name?")}

    graph: Any = StateGraph(Form)
    graph = graph.add_node("ask", ask).add_edge(START, "ask").compile(checkpointer=InMemorySaver())
    with pytest.raises(UnknownInterrupt, match="not a review of a tool call"):
        run_with_review(graph, {"name": ""}, client=Reviews().client(), config=CONFIG)


def test_a_thread_killed_in_its_tool_goes_on_without_a_second_input(run: Any) -> None:
    shop, reviews = Shop(REFUND), Reviews(refund=APPROVE)
    tools = shop.tools

    def killed() -> list[Any]:
        def refund(order: str, amount: float) -> str:
            """Refunds an order."""
            raise Killed(order, amount)

        return [refund, tools()[1]]

    shop.tools = killed  # type: ignore[method-assign]
    with pytest.raises(Killed):
        run(shop.agent(), ASK, reviews)
    shop.tools = tools  # type: ignore[method-assign]
    result = run(shop.agent(resumed=True), ASK, reviews)
    assert [one.type for one in result["messages"]] == ["human", "ai", "tool", "ai"]
    assert (shop.ran, len(reviews.items)) == ([("refund", REFUND["args"])], 1)


def test_new_messages_wait_until_the_thread_has_ended() -> None:
    shop, reviews = Shop(REFUND), Reviews(refund={"status": "queued"})
    with pytest.raises(WaitTimeout):
        run_with_review(shop.agent(), ASK, client=reviews.client(), config=CONFIG, timeout=0)
    more = {"messages": [{"role": "user", "content": "And the cup."}]}
    with pytest.raises(ValueError, match="input=None"):
        run_with_review(shop.agent(), more, client=reviews.client(), config=CONFIG)


def test_an_old_checkpoint_is_refused_since_its_approvals_would_hold_again(mode: Any) -> None:
    shop, reviews = Shop(REFUND, mode=mode), Reviews(refund=APPROVE)
    agent = shop.agent()
    run_with_review(agent, ASK, client=reviews.client(), config=CONFIG)
    old = next(state for state in agent.get_state_history(CONFIG) if "tools" in state.next)
    with pytest.raises(ValueError, match="checkpoint_id"):
        run_with_review(shop.agent(resumed=True), None, client=reviews.client(), config=old.config)
    assert len(shop.ran) == 1

"""A service in the test's own process: it keeps items by their idempotency key, and its reviewers follow a script."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx
from fake import DECISION, PROJECT_ID, FakeClock, item_json, ok, refused

from countersign import AsyncCountersign, Countersign

if TYPE_CHECKING:
    from collections.abc import Callable

APPROVE: dict[str, Any] = {"action": "approve"}
EXPIRE: dict[str, Any] = {"status": "expired"}
WITHDRAW: dict[str, Any] = {"status": "withdrawn"}
REFUSED: dict[str, Any] = {"status": "rejected"}


def edit(**arguments: Any) -> dict[str, Any]:
    return {"action": "edit", "arguments": arguments}


def reject(reason: str) -> dict[str, Any]:
    return {"action": "reject", "reason": reason}


def respond(text: str) -> dict[str, Any]:
    return {"action": "respond", "response": text}


class Killed(BaseException):
    """The process of the agent ends here."""


class Reviews:
    """Reviewers decide items when somebody waits for them; `script` names their decisions by the name of the tool."""

    def __init__(self, **script: dict[str, Any]) -> None:
        self.script = script
        self.items: dict[str, dict[str, Any]] = {}
        self.submissions = 0
        """How many arrived, with those that were sent again."""
        self.on_wait: Callable[[], None] = lambda: None

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            return self._submit(request.headers["idempotency-key"], json.loads(request.content))
        self.on_wait()
        item = next(one for one in self.items.values() if request.url.path.endswith(one["id"]))
        return ok(self._decided(item))

    def _submit(self, key: str, body: dict[str, Any]) -> httpx.Response:
        self.submissions += 1
        if "$dynamicRef" in (body.get("answer_schema") or {}):
            return refused(422, "schema_invalid")
        known = self.items.get(key)
        if known is not None and known["sent"] != body:
            return refused(422, "idempotency_key_reused")
        if known is None:
            id = f"0198c5a0-0000-7000-8000-{len(self.items):012d}"
            given = {name: value for name, value in body.items() if name != "project_id"}
            self.items[key] = {**item_json(**given), "id": id, "sent": body}
        return ok({"id": self.items[key]["id"], "status": "queued", "decision": None}, 201)

    def _decided(self, item: dict[str, Any]) -> dict[str, Any]:
        call = item["suggestion"]
        plan = self.script[call["name"]]
        if "action" not in plan:
            return {**item, "status": plan["status"]}
        assert plan["action"] in item["allowed_actions"]
        approved = plan["action"] in ("approve", "edit")
        arguments = plan.get("arguments", call["arguments"])
        decision = {
            **DECISION,
            "status": "approved" if approved else "rejected",
            "action": plan["action"],
            "output": {"name": call["name"], "arguments": arguments} if approved else None,
            "edited": plan["action"] == "edit",
            "reason": plan.get("reason"),
            **({"response": plan["response"]} if "response" in plan else {}),
        }
        return {**item, "status": decision["status"], "decision": decision}

    def _options(self) -> dict[str, Any]:
        self._clock = FakeClock()
        return {
            "url": "https://review.example.org",
            "api_key": "csk_test",
            "project_id": PROJECT_ID,
            "clock": self._clock.clock(),
        }

    def client(self) -> Countersign:
        """A client of this service."""
        options = self._options()
        http = httpx.Client(transport=httpx.MockTransport(self))
        return Countersign(http_client=http, sleep=self._clock.sleep, **options)

    def async_client(self) -> AsyncCountersign:
        """The same, asynchronous."""
        options = self._options()
        http = httpx.AsyncClient(transport=httpx.MockTransport(self))
        return AsyncCountersign(http_client=http, sleep=self._clock.async_sleep, **options)

    def sent(self) -> list[dict[str, Any]]:
        """The submissions, each once."""
        return [item["sent"] for item in self.items.values()]

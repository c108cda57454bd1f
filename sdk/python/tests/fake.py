"""A service in the test's own process, a clock that no test waits for, and both clients behind one interface."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections import deque
from typing import TYPE_CHECKING, Any, cast

import httpx

from countersign import AsyncCountersign, Clock, Countersign, RetryPolicy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Answer = httpx.Response | Exception | Callable[[httpx.Request], httpx.Response]

ITEM_ID = "0198c5a0-0000-7000-8000-000000000001"
PROJECT_ID = "0198c5a0-0000-7000-8000-000000000002"
DECISION: dict[str, Any] = {
    "id": "0198c5a0-0000-7000-8000-000000000003",
    "status": "approved",
    "action": "approve",
    "output": {"text": "Yes"},
    "edited": False,
    "reason": None,
    "note": None,
    "reviewer_id": "0198c5a0-0000-7000-8000-000000000004",
    "decided_at": "2026-11-27T12:00:00.123Z",
}


def item_json(**changes: Any) -> dict[str, Any]:
    """A queued item as the service returns it."""
    return {
        "id": ITEM_ID,
        "project_id": PROJECT_ID,
        "status": "queued",
        "decision": None,
        "input": {"question": "Why?"},
        "suggestion": "Because.",
        "confidence": 0.8,
        "risk_flags": [],
        "metadata": None,
        "routing": {
            "rule": "RT3",
            "auto_threshold": 0.95,
            "review_threshold": 0.5,
            "matched_flags": [],
            "settings_version": 1,
        },
        "created_at": "2026-11-27T12:00:00Z",
        "decided_at": None,
        **changes,
    }


def decided_item(**decision: Any) -> dict[str, Any]:
    """An item with a decision."""
    made = {**DECISION, **decision}
    return item_json(status=made["status"], decision=made, decided_at=made["decided_at"])


def submitted_json(status: str = "queued", **changes: Any) -> dict[str, Any]:
    return {"id": ITEM_ID, "status": status, "decision": None, **changes}


def ok(body: Any, status: int = 200, **headers: str) -> httpx.Response:
    return httpx.Response(status, json=body, headers={name.replace("_", "-"): one for name, one in headers.items()})


def refused(status: int, code: str = "", **extras: Any) -> httpx.Response:
    headers = {"x-request-id": "r-1", **extras.pop("headers", {})}
    body = {"code": code or f"http_{status}", "title": "T", "detail": f"about {code}", **extras}
    return httpx.Response(status, json=body, headers=headers)


class FakeClock:
    """Time passes only when somebody sleeps."""

    def __init__(self, random: float = 0.5) -> None:
        self.now = 1000.0
        self.random = random
        self.slept: list[float] = []

    def clock(self) -> Clock:
        return Clock(monotonic=lambda: self.now, time=lambda: self.now, random=lambda: self.random)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    async def async_sleep(self, seconds: float) -> None:
        self.sleep(seconds)


class FakeService:
    """Answers requests in order, the last answer for ever, and remembers the requests."""

    def __init__(self, *answers: Answer) -> None:
        self.answers: deque[Answer] = deque(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.popleft() if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, httpx.Response):
            # A response can be read once.
            return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)
        return answer(request)

    def bodies(self) -> list[Any]:
        return [json.loads(request.content or b"null") for request in self.requests]

    def header(self, name: str) -> list[str | None]:
        return [request.headers.get(name) for request in self.requests]


class _Facade:
    """The asynchronous client with the interface of the other one."""

    def __init__(self, client: AsyncCountersign) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._client, name)
        if inspect.isasyncgenfunction(method):
            return lambda *args, **options: _iterate(method(*args, **options))
        return lambda *args, **options: asyncio.run(method(*args, **options))


def _iterate(generator: Any) -> Iterator[Any]:
    with asyncio.Runner() if hasattr(asyncio, "Runner") else _Runner() as runner:
        while True:
            try:
                yield runner.run(generator.__anext__())
            except StopAsyncIteration:
                return


class _Runner:
    """`asyncio.Runner`, which Python 3.10 lacks."""

    def __enter__(self) -> _Runner:
        self._loop = asyncio.new_event_loop()
        return self

    def run(self, coroutine: Any) -> Any:
        return self._loop.run_until_complete(coroutine)

    def __exit__(self, *_: object) -> None:
        self._loop.close()


def connect(kind: str, service: FakeService, clock: FakeClock, **options: Any) -> Countersign:
    """A client of this kind, `sync` or `async`, of the fake service."""
    transport = httpx.MockTransport(service)
    given = {
        "url": "https://review.example.org/",
        "api_key": "csk_test",
        "project_id": PROJECT_ID,
        "clock": clock.clock(),
        "retry": RetryPolicy(),
        **options,
    }
    if kind == "sync":
        return Countersign(http_client=httpx.Client(transport=transport), sleep=clock.sleep, **given)
    http = httpx.AsyncClient(transport=transport)
    return cast("Countersign", _Facade(AsyncCountersign(http_client=http, sleep=clock.async_sleep, **given)))

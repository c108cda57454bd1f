"""Fixtures: a client of each kind, connected to a fake service."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from fake import FakeClock, FakeService, connect
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from countersign import Countersign

# The same examples in every run, and none of them on the disk.
settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
settings.load_profile("fixed")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=["sync", "async"])
def client(request: pytest.FixtureRequest, clock: FakeClock) -> Callable[..., tuple[Countersign, FakeService]]:
    """Makes a client and its service from the service's answers: every test runs with both clients."""

    def make(*answers: Any, **options: Any) -> tuple[Countersign, FakeService]:
        service = FakeService(*answers)
        return connect(request.param, service, clock, **options), service

    return make


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "live" not in str(request.path):
        for name in ("COUNTERSIGN_URL", "COUNTERSIGN_API_KEY", "COUNTERSIGN_PROJECT_ID"):
            monkeypatch.delenv(name, raising=False)


@pytest.fixture
def loop() -> Iterator[None]:
    """The event loop that synchronous runs of a framework keep, closed at the end."""
    kept = asyncio.new_event_loop()
    asyncio.set_event_loop(kept)
    yield
    asyncio.set_event_loop(None)
    kept.close()

"""What the TypeScript side does for the tests: decisions of people, restarts of the service, and time."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from collections.abc import Iterator

    from countersign import Countersign


def order(**body: Any) -> None:
    """Asks for it, and returns once it is done."""
    answer = httpx.post(os.environ["CONTROL_URL"], json=body, timeout=300)
    assert answer.status_code == 204, answer.text


def decide(item_id: str, action: str = "approve", **more: Any) -> None:
    """A person claims the item and decides it."""
    order(do="decide", item_id=item_id, decision={"action": action, **more})


@contextmanager
def reviewer(client: Countersign, action: str = "approve", **more: Any) -> Iterator[None]:
    """A person who decides everything that comes in, until the block ends."""
    done = threading.Event()
    since = datetime.now(timezone.utc)

    def work() -> None:
        while not done.is_set():
            for status in ("queued", "escalated"):
                for item in client.items(status=status, since=since):
                    decide(item.id, action, **more)
            done.wait(0.05)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()

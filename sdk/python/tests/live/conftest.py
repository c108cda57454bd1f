"""Tests on a real server: `server/test/journeys/python/client.test.ts` starts it and runs them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from countersign import Countersign

if TYPE_CHECKING:
    from collections.abc import Iterator


def pytest_ignore_collect() -> bool | None:
    """Without a server there is nothing to test here."""
    return None if "CONTROL_URL" in os.environ else True


@pytest.fixture
def api() -> Iterator[Countersign]:
    with Countersign() as client:
        yield client

"""The examples of the adapters: an agent waits for a person of a real server, and goes on, also after it was killed."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from live.control import decide, reviewer

if TYPE_CHECKING:
    from countersign import Countersign

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
NEEDS = {"langchain_agent": "langchain", "pydantic_ai_agent": "pydantic_ai", "openai_agent": "agents"}


def program(name: str) -> list[str]:
    """The command of an example; skips where its framework is not installed."""
    if importlib.util.find_spec(NEEDS[name]) is None:
        pytest.skip(f"{NEEDS[name]} is not installed")
    return [sys.executable, str(EXAMPLES / f"{name}.py"), str(uuid.uuid4())]


def test_every_example_is_run() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(NEEDS)


@pytest.mark.parametrize("name", NEEDS)
def test_a_tool_call_waits_for_a_person_and_runs(name: str, api: Countersign, tmp_path: Path) -> None:
    with reviewer(api):
        done = subprocess.run(program(name), cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "Refunded 24.9 for BM-20418\nThe refund is on its way.\n"


@pytest.mark.parametrize("name", ["pydantic_ai_agent", "openai_agent"])
def test_a_killed_agent_goes_on_with_the_same_item(name: str, api: Countersign, tmp_path: Path) -> None:
    before = {item.id for item in api.items(status="queued")}
    with subprocess.Popen(program(name), cwd=tmp_path, stdout=subprocess.DEVNULL) as process:
        waiting: set[str] = set()
        while not waiting:
            assert process.poll() is None
            waiting = {item.id for item in api.items(status="queued")} - before
        process.kill()
    [item] = waiting
    decide(item)
    done = subprocess.run(program(name), cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout == "Refunded 24.9 for BM-20418\nThe refund is on its way.\n", done.stderr
    assert {one.id for one in api.items(status="queued")} == before

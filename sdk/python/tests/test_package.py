"""The package: what importing it loads, that the generated client is current, and that all of it is described."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import countersign

TOOLS = Path(__file__).parent.parent / "tools"


def test_the_synchronous_client_is_current() -> None:
    sys.path.insert(0, str(TOOLS))
    try:
        generated = importlib.import_module("generate_sync").generated
    finally:
        sys.path.remove(str(TOOLS))
    for path, text in generated().items():
        assert path.read_text("utf-8") == text, f"run python tools/generate_sync.py: {path.name} is stale"


@pytest.mark.parametrize("module", ["countersign", "countersign.webhooks"])
def test_importing_loads_no_other_package(module: str) -> None:
    script = (
        f"import sys; sys.modules['httpx'] = sys.modules['pydantic'] = None; import {module};"
        "print(*(name for name in ('asyncio', 'httpx', 'pydantic', 'typing_extensions', 'ssl', 'email', 'http')"
        " if sys.modules.get(name)))"
    )
    output = subprocess.run([sys.executable, "-I", "-c", script], check=True, capture_output=True, text=True)
    assert output.stdout.strip() == ""


def test_both_clients_have_the_same_methods() -> None:
    def methods(kind: type) -> dict[str, list[str]]:
        return {
            {"aclose": "close"}.get(name, name): list(inspect.signature(one).parameters)
            for name, one in inspect.getmembers(kind, callable)
            if not name.startswith("_")
        }

    assert methods(countersign.Countersign) == methods(countersign.AsyncCountersign)


MODULES = {
    "countersign": None,
    "countersign.webhooks": None,
    "countersign.langchain": "langchain",
    "countersign.openai_agents": "agents",
    "countersign.pydantic_ai": "pydantic_ai",
}
"""The public modules, and the framework that each needs."""


def test_every_public_module_is_looked_at() -> None:
    files = {path.stem for path in Path(countersign.__file__).parent.glob("[!_]*.py")}
    assert {name.removeprefix("countersign.") for name in MODULES if name != "countersign"} == files


@pytest.mark.parametrize("module", MODULES)
def test_everything_public_is_described(module: str) -> None:
    if framework := MODULES[module]:
        pytest.importorskip(framework)
    place = importlib.import_module(module)
    things = [getattr(place, name) for name in place.__all__]
    classes = [thing for thing in things if inspect.isclass(thing)]
    methods = [m for one in classes for name, m in vars(one).items() if name[0] != "_" and inspect.isroutine(m)]
    described = [place, *classes, *methods, *filter(inspect.isroutine, things)]
    assert [one for one in described if not own_words(one)] == []


def own_words(thing: Any) -> bool:
    """Whether a docstring was written: a dataclass without one gets its signature."""
    text = (thing.__doc__ or "").strip()
    return text != "" and not text.startswith(f"{getattr(thing, '__name__', '')}(")


def test_answers_are_frozen_and_slotted() -> None:
    answers = [getattr(countersign, name) for name in countersign.__all__]
    classes = [one for one in answers if inspect.isclass(one) and dataclasses.is_dataclass(one)]
    assert len(classes) == 11
    for one in classes:
        assert one.__dataclass_params__.frozen, one  # type: ignore[attr-defined]
        assert "__slots__" in vars(one), one


def test_the_version_is_that_of_the_project() -> None:
    project = (TOOLS.parent / "pyproject.toml").read_text("utf-8")
    assert f'\nversion = "{countersign.__version__}"\n' in project

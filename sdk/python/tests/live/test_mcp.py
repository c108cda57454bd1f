"""The official MCP client of Python does the whole story of the tools, over HTTP and with the program by stdio."""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from live.control import decide

pytest.importorskip("mcp", reason="The MCP SDK is not installed")

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.types import ResourceLink, TextContent

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from countersign import Countersign

GIVEN = {"input": {"ticket": "The teapot arrived with a crack."}, "suggestion": "Refund it.", "confidence": 0.8}
VERSIONS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
"""How the client connects, and the version that it then speaks."""


@asynccontextmanager
async def over_http(mode: str, key: str | None = None) -> AsyncIterator[Client]:
    headers = {"authorization": f"Bearer {key or os.environ['COUNTERSIGN_API_KEY']}"}
    url = f"{os.environ['COUNTERSIGN_URL']}/api/public/mcp"
    async with (
        create_mcp_http_client(headers=headers) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def by_stdio(mode: str, key: str | None = None) -> AsyncIterator[Client]:
    command, *args = json.loads(os.environ["MCP_COMMAND"])
    env = {name: value for name, value in os.environ.items() if name.startswith("COUNTERSIGN_")}
    if key is not None:
        env["COUNTERSIGN_API_KEY"] = key
    async with Client(StdioServerParameters(command=command, args=args, env=env), mode=mode) as client:
        yield client


CONNECT: dict[str, Callable[..., Any]] = {"http": over_http, "stdio": by_stdio}


async def answer(client: Client, tool: str, **arguments: Any) -> Any:
    """The structured content, which the client has checked against the schema of the tool; the text says the same."""
    result = await client.call_tool(tool, arguments)
    [text, *_] = result.content
    assert isinstance(text, TextContent)
    assert not result.is_error, text.text
    assert json.loads(text.text) == result.structured_content
    return result.structured_content


async def refusal(client: Client, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    [text] = result.content
    assert isinstance(text, TextContent)
    assert (result.is_error, result.structured_content) == (True, None)
    return json.loads(text.text)


@pytest.mark.parametrize("mode", VERSIONS)
@pytest.mark.parametrize("transport", CONNECT)
def test_does_the_whole_story(transport: str, mode: str, api: Countersign) -> None:
    async def story(client: Client) -> None:
        assert client.protocol_version == VERSIONS[mode]
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == ["request_review", "check_review", "withdraw_review"]
        assert [tool.annotations and tool.annotations.read_only_hint for tool in tools] == [False, True, False]

        asked = {**GIVEN, "idempotency_key": f"{transport} {mode}"}
        requested = await answer(client, "request_review", **asked)
        id = requested["id"]
        assert requested == {"id": id, "status": "queued", "decision": None}
        assert await answer(client, "request_review", **asked) == requested
        assert (await answer(client, "check_review", id=id))["decision"] is None

        waiting = asyncio.create_task(client.call_tool("check_review", {"id": id, "wait_seconds": 55}))
        await asyncio.to_thread(decide, id, "edit", output="Send a new one.", reason="Wrong fact")
        result = await waiting
        item = result.structured_content
        assert item is not None
        assert (item["status"], item["input"]) == ("approved", GIVEN["input"])
        assert (item["decision"]["action"], item["decision"]["output"]) == ("edit", "Send a new one.")
        link = result.content[-1]
        assert isinstance(link, ResourceLink)
        assert str(link.uri).endswith(f"/queue?item={id}")
        assert api.item(id).decision is not None

        late = await refusal(client, "withdraw_review", id=id)
        assert (late["code"], late["item"]["id"]) == ("already_decided", id)
        other = (await answer(client, "request_review", **GIVEN))["id"]
        withdrawn = await answer(client, "withdraw_review", id=other, reason="Solved")
        assert withdrawn == {"id": other, "status": "withdrawn", "decision": None}
        assert api.item(other).status == "withdrawn"

    run(transport, mode, story)


@pytest.mark.parametrize("mode", VERSIONS)
@pytest.mark.parametrize("transport", CONNECT)
def test_says_what_is_wrong(transport: str, mode: str) -> None:
    async def story(client: Client) -> None:
        misspelt = await refusal(client, "request_review", **GIVEN, risk_flag=["legal"])
        assert misspelt["code"] == "validation_failed"
        assert "risk_flag" in json.dumps(misspelt)
        unknown = await refusal(client, "check_review", id="0197f1a0-0000-7000-8000-000000000001")
        assert unknown["code"] == "not_found"
        assert unknown["request_id"]
        with pytest.raises(MCPError, match="approve_review"):
            await client.call_tool("approve_review", {})

    run(transport, mode, story)


@pytest.mark.parametrize("mode", VERSIONS)
def test_a_wrong_key_reaches_nothing(mode: str) -> None:
    async def connect() -> None:
        async with over_http(mode, key="csk_wrong"):
            pass

    with pytest.RaisesGroup(pytest.RaisesExc(MCPError, match="error response"), flatten_subgroups=True):
        asyncio.run(connect())

    async def call(client: Client) -> None:
        assert (await refusal(client, "request_review", **GIVEN))["code"] == "api_key_invalid"

    run("stdio", mode, call, key="csk_wrong")


def run(transport: str, mode: str, story: Callable[[Client], Awaitable[None]], **options: Any) -> None:
    async def connected() -> None:
        async with CONNECT[transport](mode, **options) as client:
            await story(client)

    asyncio.run(connected())

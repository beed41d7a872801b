"""Calls the server at the edge with the installed Python SDK, in each era of the protocol that the SDK supports.

    python edge_client.py URL"""

import asyncio
import importlib.metadata
import sys

URL = sys.argv[1]
IS_SECOND = importlib.metadata.version("mcp").startswith("2.")
TOOLS = ["search", "get_document", "grep"]


async def check(client, era):
    tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == TOOLS, tools

    async def call(name, arguments):
        return (await client.call_tool(name, arguments)).content[0].text

    found = await call("search", {"query": "how does the browser get by without the model", "max_results": 3})
    assert "there are more: next_offset = 3" in found, found
    path = next(line for line in found.splitlines() if line.startswith("document: ")).split()[1]
    assert f"document: {path}\n" in await call("get_document", {"path": path}), path
    assert " in " in await call("grep", {"pattern": "nearfind"})
    assert "use one of nearfind" in await call("search", {"query": "a", "project": "other"})
    contents = (await client.read_resource(f"nearfind://documents/nearfind/{path}")).contents
    assert contents[0].text
    print(f"passed {era} with mcp {importlib.metadata.version('mcp')}")


async def main():
    if IS_SECOND:
        from mcp import Client
        from mcp.client.streamable_http import streamable_http_client

        for mode in ["legacy", "2026-07-28"]:
            async with Client(streamable_http_client(URL), mode=mode) as client:
                await check(client, mode)
        return
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async with streamable_http_client(URL) as streams, ClientSession(*streams[:2]) as session:
        hello = await session.initialize()
        assert "Projects" in hello.instructions, hello
        await check(session, hello.protocolVersion)


asyncio.run(main())

"""Drives `nearfind mcp` with the installed Python SDK, of the first or the second generation, over standard input
and output and over HTTP, with both kinds of the protocol.

    python clients.py NEARFIND FOLDER

FOLDER has a nearfind.toml and its bundle."""

import asyncio
import importlib.metadata
import os
import subprocess
import sys

NEARFIND, FOLDER = sys.argv[1:3]
IS_SECOND = importlib.metadata.version("mcp").startswith("2.")
HANDSHAKE, STATELESS = "2025-11-25", "2026-07-28"
ARGUMENTS = ["mcp", "--no-watch", "--allow-update", "--structured"]
# The tools for documentation without reference pages and source code, in one project.
TOOLS = [
    "search", "get_document", "grep", "outline", "related", "research", "pages", "list_documents", "index_status",
    "update_index",
]


def either(of, *names):
    """Returns the first existing attribute, because the SDK's generations spell names differently."""
    return next(getattr(of, name) for name in names if hasattr(of, name))


class Calls:
    """The calls that both generations support."""

    def __init__(self, client, version, info):
        self.client, self.version, self.info = client, version, info

    async def call(self, tool, arguments=None, progress=None):
        result = await self.client.call_tool(tool, arguments or {}, progress_callback=progress)
        failed = either(result, "is_error", "isError")
        text = result.content[0].text
        assert text
        return (None, text) if failed else (either(result, "structured_content", "structuredContent"), text)


async def check(calls, expected):
    assert calls.version == expected, (calls.version, expected)
    assert calls.info.name == "nearfind", calls.info
    tools = (await calls.client.list_tools()).tools
    assert [tool.name for tool in tools] == TOOLS, tools
    for tool in tools:
        assert tool.title and tool.description and tool.annotations, tool
        assert either(tool, "output_schema", "outputSchema"), tool

    found, text = await calls.call("search", {"query": "how does the browser get by without the model", "max_results": 3})
    assert len(found["results"]) == 3 and found["next_offset"] == 3, found
    assert found["results"][0]["title"] in text
    hit = found["results"][0]
    read, _ = await calls.call("get_document", {"path": hit["path"], "project": hit["project"], "from_line": hit["line"]})
    assert read["document"] == hit["document"] and read["content"], read
    lines, _ = await calls.call("get_document", {"path": f"{hit['path']}:1-3"})
    assert (lines["from_line"], lines["to_line"]) == (1, 3), lines
    # The tool is not listed, because there is only one project, but it works.
    projects, _ = await calls.call("list_projects")
    assert projects["projects"][0]["name"] == "nearfind", projects
    failed, text = await calls.call("search", {"query": "a", "project": "other"})
    assert failed is None and "use one of nearfind" in text, text
    try:
        await calls.call("no_such_tool")
        raise AssertionError("an unknown tool is an error of the protocol")
    except Exception as error:
        assert "there is no tool" in str(error), error

    resources = (await calls.client.list_resources()).resources
    assert str(resources[0].uri) == "nearfind://projects", resources
    templates = await calls.client.list_resource_templates()
    assert either(templates, "resource_templates", "resourceTemplates")
    contents = (await calls.client.read_resource(hit["uri"])).contents
    assert contents[0].text.startswith(read["content"][:0]) and len(contents[0].text) >= len(read["content"])
    try:
        await calls.client.read_resource("nearfind://documents/nearfind/../../etc/passwd")
        raise AssertionError("there is no such resource")
    except Exception as error:
        assert "there is no" in str(error), error

    # Concurrent calls get the same answers as a single one.
    again = await asyncio.gather(*(calls.call("search", {"query": "rank fusion"}) for _ in range(8)))
    assert all(answer == again[0] for answer in again)

    notes = []

    async def hear(progress, total, message):
        notes.append(progress)

    updated, _ = await calls.call("update_index", {"full": True}, progress=hear)
    # A longer update continues in the background.
    while updated.get("goes_on"):
        status, _ = await calls.call("index_status")
        if not status.get("is_updating"):
            updated = {"reason": status["last_update"]}
        await asyncio.sleep(0.2)
    assert updated["reason"], updated
    assert notes and notes == sorted(set(notes)), notes
    print("passed", expected)


async def over(transport_of, is_http):
    """Runs the checks over a transport, with each kind of the protocol that the SDK supports."""
    if IS_SECOND:
        from mcp import Client

        for mode, expected in [("auto", STATELESS), ("legacy", HANDSHAKE), (STATELESS, STATELESS)]:
            async with Client(transport_of(), mode=mode) as client:
                # Without a handshake, the client does not know the server's name.
                info = client.server_info or type("Info", (), {"name": "nearfind"})
                await check(Calls(client, client.protocol_version, info), expected)
    else:
        from mcp import ClientSession

        async with transport_of() as streams, ClientSession(*streams[:2]) as session:
            hello = await session.initialize()
            assert "nearfind" in hello.instructions
            await check(Calls(session, hello.protocolVersion, hello.serverInfo), HANDSHAKE)


def main():
    os.chdir(FOLDER)
    if IS_SECOND:
        from mcp import StdioServerParameters
    else:
        from mcp import StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client

    environment = dict(os.environ)
    parameters = StdioServerParameters(command=NEARFIND, args=ARGUMENTS, env=environment, cwd=FOLDER)
    print(f"mcp {importlib.metadata.version('mcp')} over standard input and output")
    asyncio.run(over(lambda: stdio_client(parameters), False))

    server = subprocess.Popen(
        [NEARFIND, *ARGUMENTS, "--http", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True, env=environment
    )
    try:
        url = server.stderr.readline().split()[-1]
        print(f"mcp {importlib.metadata.version('mcp')} over HTTP")
        asyncio.run(over(lambda: url if IS_SECOND else streamable_http_client(url), True))
    finally:
        server.terminate()
        assert server.wait(20) == 0


main()

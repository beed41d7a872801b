"""Measures the calls and tokens that twenty tasks of agents cost with nearfind, with grep and reading, and with semble.

    tests/code/tasks.py NEARFIND WORK [--window 200] [--show]

The tasks in tasks.jsonl are about three repositories that nearfind was not tuned on. The lines that answer were written
down from the code before any search. A task is done when all of these lines have been shown; an agent that has not seen
them after twelve calls has failed. agents.py describes the agents. The repositories are cloned at their commits, unless
WORK/src has them by name. ripgrep must be installed. semble is left out unless `pip install semble==0.7.0` was run;
its model must be downloaded, so it searches by words and its ranking alone.

Four characters of requests and answers count as a token. Of nearfind's answers, the text counts, which clients show. The
last column counts the structured content that some clients show instead. A session pays once for the list of tools,
which is counted apart.
"""

import argparse
import json
import statistics
import subprocess
from collections import defaultdict
from functools import cache
from pathlib import Path

from agents import GrepAndRead, Nearfind, Screen, Semble, Task
from navigate import Server
from peers import stand_in

REPOSITORIES = {
    "werkzeug": ("pallets/werkzeug", "1b00618e787f40dfb21eba29caf8f8be7c8e1d93"),
    "fd": ("sharkdp/fd", "ee20f426ddf338ac7ead5c5f00ea49258005caaf"),
    "ws": ("websockets/ws", "a2f4e7c046c2112bbce6fef39a083dac77d6f0d2"),
}
CALLS = 12
CHARACTERS = 4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nearfind")
    parser.add_argument("work", type=Path)
    parser.add_argument("--window", type=int, default=200, help="how many lines the agent with grep reads at once")
    parser.add_argument("--show", action="store_true", help="show each call")
    arguments = parser.parse_args()
    tasks = [json.loads(line) for line in (Path(__file__).parent / "tasks.jsonl").read_text().splitlines()]
    rows = []
    for name in REPOSITORIES:
        folder = checkout(name, arguments.work)
        server = Server(arguments.nearfind, bundle(arguments.nearfind, name, folder, arguments.work))
        agents = {
            "grep and read": lambda screen: GrepAndRead(screen, arguments.window),
            "semble": semble(folder, arguments.work),
            "nearfind": lambda screen: Nearfind(screen, server),
        }
        for task in (task for task in tasks if task["repository"] == name):
            row = {agent: tried(make(Screen(folder)), task, folder) for agent, make in agents.items() if make}
            rows.append((task, row))
            if arguments.show:
                print(f"\n{name}: {task['task']}")
                for agent, (is_done, screen) in row.items():
                    calls = ", ".join(f"{tool} {characters // CHARACTERS}" for tool, characters, _ in screen.calls)
                    print(f"  {agent:<14} {'done' if is_done else 'failed'}: {calls}")
        server.process.kill()
    report(rows)
    listed(arguments.nearfind, str(arguments.work / "bundles" / name))


def checkout(name: str, work: Path) -> Path:
    folder = work / "src" / name
    if not folder.exists():
        repository, commit = REPOSITORIES[name]
        run(["git", "init", "--quiet", str(folder)])
        run(["git", "-C", str(folder), "fetch", "--quiet", "--depth", "1", f"https://github.com/{repository}", commit])
        run(["git", "-C", str(folder), "checkout", "--quiet", "FETCH_HEAD"])
    return folder


def bundle(nearfind: str, name: str, folder: Path, work: Path) -> str:
    out = work / "bundles" / name
    run([nearfind, "index", f"{folder}/", "--code", "-o", str(out), "--no-box", "--no-query-encoder", "-q"])
    return str(out)


def run(command: list[str]) -> None:
    subprocess.run(command, check=True)


def semble(folder: Path, work: Path):
    try:
        from semble import SembleIndex
        from semble.types import ContentType
    except ImportError:
        return None

    @cache
    def index(content: str):
        return SembleIndex.from_path(folder, content=[ContentType(content)], model_path=str(stand_in(work / "stand-in")))

    return lambda screen: Semble(screen, index)


def tried(agent, task: dict, folder: Path) -> tuple[bool, Screen]:
    """Lets an agent call until it has seen the lines that answer. Returns whether it did, and what that cost."""
    screen = agent.screen
    wanted = [place for text in task["see"] for place in places(text, folder)]
    is_done = lambda: all(line in screen.seen[path] for path, line in wanted)
    for _ in agent.run(Task(task["task"])):
        if is_done() or len(screen.calls) == CALLS:
            break
    return is_done(), screen


def places(text: str, folder: Path) -> list[tuple[str, int]]:
    """Returns the lines of a range such as `src/walk.rs:209-213`, without empty ones."""
    path, _, lines = text.rpartition(":")
    first, _, last = lines.partition("-")
    texts = (folder / path).read_text().split("\n")
    return [(path, line) for line in range(int(first), int(last or first) + 1) if texts[line - 1].strip()]


def tokens(screen: Screen, column: int = 1) -> int:
    return sum(call[column] for call in screen.calls) // CHARACTERS


def report(rows: list) -> None:
    agents = list(rows[0][1])
    print(f"\n{'calls, tokens; - if not done':<64}" + "".join(f"{agent:>16}" for agent in agents) + "      structured")
    for task, row in rows:
        shown = [f"{len(screen.calls)}, {tokens(screen)}{'' if is_done else ' -'}" for is_done, screen in row.values()]
        print(f"{task['repository'] + ': ' + task['task'][:50]:<64}" + "".join(f"{text:>16}" for text in shown) + f"{tokens(row['nearfind'][1], 2):>16}")
    for agent in agents:
        solved = [row[agent][1] for _, row in rows if row[agent][0]]
        all_of = [row[agent][1] for _, row in rows]
        calls = sum(len(screen.calls) for screen in all_of)
        median = statistics.median(tokens(screen) for screen in solved)
        print(f"\n{agent}: {len(solved)} of {len(rows)} done; {calls} calls and {sum(map(tokens, all_of))} tokens in all; median of those done {median:.0f}")
        by_tool: dict[str, list[int]] = defaultdict(list)
        for screen in all_of:
            for tool, characters, _ in screen.calls:
                by_tool[tool].append(characters // CHARACTERS)
        print("  " + "; ".join(f"{tool} {len(costs)} calls, {sum(costs)} tokens" for tool, costs in by_tool.items()))
    for peer in (agent for agent in agents if agent != "nearfind"):
        pairs = [(row["nearfind"], row[peer]) for _, row in rows]
        both = [(ours[1], theirs[1]) for ours, theirs in pairs if ours[0] and theirs[0]]
        for column, what in ((1, "text"), (2, "structured content")):
            ours, theirs = [tokens(screen, column) for screen, _ in both], [tokens(screen) for _, screen in both]
            medians, sums = statistics.median(ours) / statistics.median(theirs), sum(ours) / sum(theirs)
            spent = sum(tokens(screen, column) for (_, screen), _ in pairs) / sum(tokens(screen) for _, (_, screen) in pairs)
            print(f"nearfind's {what} against {peer}: {len(both)} tasks that both did, medians {medians:.2f}, sums {sums:.2f}; all tasks, done or given up, {spent:.2f}")


def listed(nearfind: str, bundle: str) -> None:
    for is_structured in (False, True):
        server = Server(nearfind, bundle, is_structured)
        tools = server.request("tools/list", {})["tools"]
        characters = sum(len(json.dumps(tool, ensure_ascii=False, separators=(",", ":"))) for tool in tools)
        instructions = len(server.greeting.get("instructions", ""))
        form = "with schemas of results" if is_structured else "as text"
        print(f"once a session, {form}: {len(tools)} tools, {characters // CHARACTERS} tokens, and instructions of {instructions // CHARACTERS}")
        server.process.kill()


if __name__ == "__main__":
    main()

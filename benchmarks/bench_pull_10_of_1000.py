"""Pulling after 10 of 1,000 tasks changed, against pulling all of them: bytes that went over the wire, both ways.

The promise: at most 5 %. Counted are the bodies and addresses of all requests and the bodies of all answers.

    python benchmarks/bench_pull_10_of_1000.py [TASKS] [CHANGED]
"""

from __future__ import annotations

import sys
import tempfile
import time
import tracemalloc
from dataclasses import dataclass
from pathlib import Path

import httpx
from label_studio_project import a_campaign, a_server

from annotator.campaign.home import Home
from annotator.cli.commandline import collect_rarely
from annotator.label_studio.client import LabelStudioServer
from annotator.store.store import Store
from annotator.sync.pull import pull
from annotator.sync.push import push

TASKS, CHANGED = 1000, 10
PROMISED = 0.05


@dataclass(slots=True)
class Wire:
    """Traffic since the last reading."""

    requests: int = 0
    bytes: int = 0

    def __call__(self, answer: httpx.Response) -> None:
        answer.read()
        self.requests += 1
        self.bytes += len(str(answer.request.url)) + len(answer.request.content) + len(answer.content)


def pulled(home: Home, store: Store, server: LabelStudioServer, wire: Wire, *, whole: bool = False) -> str:
    """A line of what a pull read and cost."""
    wire.requests = wire.bytes = 0
    began = time.perf_counter()
    [step] = pull(home, store, server, whole=whole)
    seconds = time.perf_counter() - began
    cost = f"{wire.requests:3} requests, {wire.bytes:9} B, {seconds:.2f} s"
    return f"{step.read:5} tasks read, {step.added:3} new, {cost}"


def main() -> None:
    collect_rarely()
    count = int(sys.argv[1]) if len(sys.argv) > 1 else TASKS
    changed = int(sys.argv[2]) if len(sys.argv) > 2 else CHANGED
    with tempfile.TemporaryDirectory() as name, a_server(Path(name) / "studio") as server:
        home, store = a_campaign(Path(name) / "home", count)
        [step] = push(home, store, server)
        tasks = [(task["id"], task["predictions"][0]["result"]) for task in server.tasks(step.project_id)]
        wire = Wire()
        server._http.event_hooks["response"].append(wire)
        print(f"{count} tasks of six boxes and eight spans, {changed} changed")
        tracemalloc.start()
        print(f"  first     {pulled(home, store, server, wire)}")
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        for task, result in tasks[:: max(1, count // changed)][:changed]:
            server.add_annotation(task, {"result": result})
        print(f"  changed   {pulled(home, store, server, wire)}")
        some = wire.bytes
        print(f"  nothing   {pulled(home, store, server, wire)}")
        print(f"  all again {pulled(home, store, server, wire, whole=True)}")
        share = some / wire.bytes
        store.close()
    print(f"  {share:.1%} of the bytes of a full pull, promised at most {PROMISED:.0%}; peak memory {peak:.1f} MB")
    if share > PROMISED:
        sys.exit(f"more than promised: {share:.1%} of the bytes")


if __name__ == "__main__":
    main()

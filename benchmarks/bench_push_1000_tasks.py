"""Pushing subfigure tasks with predictions, against one bulk import of the same payload by the server's own means.

The promise: at least 80 % of its throughput in the same run, and memory that does not grow with the number of
tasks. The push begins with the store and a server without the project, and ends with a link for every task. Of
each the best run counts: the server is a process of its own on the same cores.

    python benchmarks/bench_push_1000_tasks.py [TASKS] [RUNS]
"""

from __future__ import annotations

import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import httpx
from label_studio_project import a_campaign, a_server, payload

from annotator.campaign.home import Home
from annotator.cli.commandline import collect_rarely
from annotator.label_studio.client import LabelStudioServer
from annotator.store.store import Store
from annotator.sync.push import push
from annotator.sync.push_tasks import Pushed

TASKS, RUNS = 1000, 3
#: The push takes at most so many times as long; its memory's peak is at most so much higher for twice the tasks.
PROMISED, GROWTH_MB = 1 / 0.8, 4.0


def timed(work: Callable[[], object]) -> float:
    """Seconds by the clock."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def plainly_imported(server: LabelStudioServer, home: Home, tasks: list[dict[str, object]]) -> float:
    """One request with everything, into a project that was made before."""
    project = server.create_project("plain", "", server.labelling_config(home.campaign, home.campaign.phase("1")))
    headers = server._sdk._client_wrapper.get_headers()
    with httpx.Client(base_url=server.url, headers=headers, trust_env=False, timeout=600) as client:
        seconds = timed(lambda: client.post(f"/api/projects/{project.id}/import", json=tasks).raise_for_status())
    assert server.count(project.id).predictions == len(tasks)
    server.delete_project(project.id)
    return seconds


def pushed(server: LabelStudioServer, home: Home, store: Store, count: int) -> tuple[float, float]:
    """Seconds of a push, and of another with nothing to do."""
    steps: list[Pushed] = []
    first = timed(lambda: steps.extend(push(home, store, server)))
    assert (steps[0].added, steps[0].seeded) == (count, count)
    again = timed(lambda: steps.extend(push(home, store, server)))
    assert (steps[1].added, steps[1].unchanged) == (0, count)
    server.delete_project(steps[0].project_id)
    return first, again


def peak_mb(server: LabelStudioServer, home: Home, store: Store, count: int) -> float:
    """Return the growth of our process's memory at a push's peak, in MB."""
    tracemalloc.start()
    pushed(server, home, store, count)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return peak


def main() -> None:
    collect_rarely()
    count = int(sys.argv[1]) if len(sys.argv) > 1 else TASKS
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else RUNS
    with tempfile.TemporaryDirectory() as name, a_server(Path(name) / "studio") as server:
        home, store = a_campaign(Path(name) / "home", count)
        more_home, more_store = a_campaign(Path(name) / "more", 2 * count)
        tasks = payload(home, store)
        plain, pushes, agains = [], [], []
        for _ in range(runs):
            plain.append(plainly_imported(server, home, tasks))
            first, again = pushed(server, home, store, count)
            pushes.append(first)
            agains.append(again)
        small, large = peak_mb(server, home, store, count), peak_mb(server, more_home, more_store, 2 * count)
        store.close()
        more_store.close()
    ratio = min(pushes) / min(plain)
    print(f"{count} tasks of six boxes and eight spans, best of {runs} runs")
    print(f"  one bulk import       {min(plain):6.2f} s ({count / min(plain):.0f} tasks a second)")
    print(f"  push                  {min(pushes):6.2f} s ({count / min(pushes):.0f} tasks a second)")
    print(f"  push, nothing to do   {min(agains):6.2f} s")
    print(f"  throughput {1 / ratio:.0%} of the import's, promised at least {1 / PROMISED:.0%}")
    print(f"  peak memory {small:.1f} MB for {count} tasks, {large:.1f} MB for {2 * count}")
    if ratio > PROMISED:
        sys.exit(f"slower than promised: {1 / ratio:.0%} of the bulk import's throughput")
    if large - small > GROWTH_MB:
        sys.exit(f"more memory than promised: {large - small:.1f} MB more for twice the tasks")


if __name__ == "__main__":
    main()

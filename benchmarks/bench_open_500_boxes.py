"""Opening a figure of 500 boxes by three annotators, against one of half as many.

The promise: a figure with as many boxes as a campaign allows opens in under a second of processor time. The time
grows with the square of the boxes at most: that ratio does not depend on the machine. Boxes that all lie on one
another, which nobody draws, only have to keep the ratio.

    python benchmarks/bench_open_500_boxes.py
"""

from __future__ import annotations

import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from annotator.adjudication.subfigures import figure_state
from annotator.campaign.home import Home
from annotator.queue.pages import progress_in
from annotator.store.store import Store
from panelwise.domain.annotation import MAX_BOXES, Annotation, Status, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.caption import Caption
from panelwise.domain.figure import Figure

RUNS, PEOPLE, COLUMNS = 5, 3, 25
#: Opening takes at most so many times what half the boxes take: squares would be 4.
PROMISED = 4.5
SECONDS = 1.0


def work(name: str, figure: Figure, number: int, *, stacked: bool) -> Annotation:
    """Boxes side by side as people draw them, or all on one another."""
    source = random.Random(name)
    parts = []
    for place in range(number):
        x, y = (0, 0) if stacked else (80 * (place % COLUMNS), 100 * (place // COLUMNS))
        left, top = x + source.uniform(0, 8), y + source.uniform(0, 8)
        tokens = frozenset(range(place % 100, place % 100 + 12))
        label = "A" if stacked else f"P{place}"
        parts.append(Subfigure(label, Box(left, top, x + 75, y + 90), tokens))
    return Annotation(figure, name, "1", Status.ACCEPTED, tuple(parts), datetime.now(UTC))


def timed(ask: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        ask()
        times.append(time.process_time() - began)
    return statistics.median(times)


def opening(home: Home, store: Store, number: int, *, stacked: bool) -> float:
    caption = Caption.cut(" ".join(f"word{place}" for place in range(120)))
    name = f"{'stacked' if stacked else 'apart'}-{number}"
    figure = Figure(name, f"images/{name}.png", 2000, 2000 * MAX_BOXES // COLUMNS, caption)
    with store.transaction() as tx:
        tx.figures.add(figure)
        for person in range(PEOPLE):
            tx.annotations.add(work(f"ann{person}", figure, number, stacked=stacked))

    def opened() -> None:
        with store.read() as tx:
            figure_state(tx.work.of(name), home, "rev", progress_in(tx, home, "rev"))

    return timed(opened)


def main() -> None:
    fine = True
    with tempfile.TemporaryDirectory() as folder:
        home = Home.create(Path(folder) / "campaign")
        with home.open_store() as store:
            for stacked in (False, True):
                half = opening(home, store, MAX_BOXES // 2, stacked=stacked)
                whole = opening(home, store, MAX_BOXES, stacked=stacked)
                fine = fine and whole / half <= PROMISED and (stacked or whole <= SECONDS)
                what = "on one another" if stacked else "side by side"
                print(f"{MAX_BOXES} boxes by {PEOPLE} {what}: {whole:.3f} s, half of them {half:.3f} s")
                print(
                    json.dumps({"ratio": round(whole / half, 2), "promised": PROMISED, "seconds": round(whole, 3)})
                )
    raise SystemExit(0 if fine else 1)


if __name__ == "__main__":
    main()

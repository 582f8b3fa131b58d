"""The lead's gallery of 217,060 figures and list of 1,000 people against small ones in the same run.

Asked of the real app by a lead: the first page, one from the middle, a search, a status; people's first page, last
page and a search. The promise: the 95th percentile of all, in CPU time, is at most three times that of a
campaign of 1,000 figures and 50 people.

    python benchmarks/bench_lead_pages.py [--figures N] [--people N] [--requests N]
"""

from __future__ import annotations

import argparse
import gc
import statistics
import sys
import tempfile
import time
from pathlib import Path

from argon2 import PasswordHasher
from flask.testing import FlaskClient

from annotator.accounts import people as accounts
from annotator.campaign.home import Home
from annotator.web.factory import create_app
from panelwise.domain.campaign import Person, Role
from panelwise.domain.caption import Caption
from panelwise.domain.figure import Figure

FIGURES, PEOPLE, REQUESTS = 217_060, 1_000, 20
SMALL_FIGURES, SMALL_PEOPLE = 1_000, 50
PROMISED = 3.0
BATCH = 10_000
PASSWORD = "a password for measuring"


def lead_of(folder: Path, figures: int, people: int) -> FlaskClient:
    """A lead signed in to a campaign of so many figures and people."""
    home = Home.create(folder)
    store = home.open_store()
    for start in range(0, figures, BATCH):
        with store.transaction() as tx:
            tx.figures.add_many(
                [
                    Figure(f"f{n:06}", f"images/{n}.png", 800, 600, Caption.cut(f"Fig {n}: lungs, axial {n % 97}"))
                    for n in range(start, min(start + BATCH, figures))
                ]
            )
    with store.transaction() as tx:
        for number in range(people):
            tx.people.put(Person(f"person{number:04}", frozenset({Role.ANNOTATOR})))
    accounts.add_person(store, "lea", roles=[Role.LEAD], password=PASSWORD)
    app = create_app(home, store)
    app.config["WTF_CSRF_ENABLED"] = False
    client = app.test_client()
    client.post("/login", data={"name": "lea", "password": PASSWORD})
    return client


def pages_of(figures: int, people: int) -> dict[str, str]:
    """Return the requests to measure, by name."""
    return {
        "gallery": "/campaign/figures",
        "gallery: from the middle": f"/campaign/figures?after=f{figures // 2:06}",
        "gallery: a search": "/campaign/figures?q=axial+13",
        "gallery: not assigned": "/campaign/figures?shown=not+assigned",
        "people": "/campaign/people",
        "people: last page": f"/campaign/people?page={people // 50}",
        "people: a search": "/campaign/people?q=person00",
    }


def p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--figures", type=int, default=FIGURES)
    parser.add_argument("--people", type=int, default=PEOPLE)
    parser.add_argument("--requests", type=int, default=REQUESTS)
    chosen = parser.parse_args()
    # Signing in is not what is measured.
    accounts._hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    sizes = ((SMALL_FIGURES, SMALL_PEOPLE), (chosen.figures, chosen.people))
    every: tuple[list[float], list[float]] = ([], [])
    with tempfile.TemporaryDirectory() as folder:
        leads = [lead_of(Path(folder, str(size[0])), *size) for size in sizes]
        gc.collect()
        gc.freeze()  # what making them left behind is no part of a page
        for name in pages_of(*sizes[0]):
            spent: tuple[list[float], list[float]] = ([], [])
            for number in range(-2, chosen.requests):
                for lead, size, times in zip(leads, sizes, spent, strict=True):
                    began = time.process_time()
                    answer = lead.get(pages_of(*size)[name])
                    if answer.status_code != 200:
                        raise SystemExit(f"{name}: answered {answer.status_code}")
                    if number >= 0:  # the first two warm up
                        times.append(time.process_time() - began)
            for all_times, times in zip(every, spent, strict=True):
                all_times += times
            few, many = map(p95, spent)
            print(
                f"  {name:26} p95 {1000 * few:7.1f} and {1000 * many:7.1f} ms, ratio {many / few:5.2f}", flush=True
            )
    ratio = p95(every[1]) / p95(every[0])
    print(f"  every page: ratio {ratio:.2f}")
    if ratio > PROMISED:
        sys.exit(f"{ratio:.1f} times the small campaign's, not {PROMISED:g}")


if __name__ == "__main__":
    main()

"""The queue of 217,060 figures against one of 1,000 in the same run: what a reviewer waits for.

Asked of the real app by somebody signed in: pages of the queue (the first, one from the middle, behind each kind
of filter, both ways), a figure's state with the figure that comes after it, and a save. The promise: the 95th
percentile of all pages, of all next figures and of all saves is at most three times that of the small campaign.
Figures, work and queue are put straight into the store.

    python benchmarks/bench_queue_217060_figures.py [--figures N] [--requests N]
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher
from flask.testing import FlaskClient

from annotator.accounts import people as accounts
from annotator.campaign.home import Home
from annotator.campaign.pseudonyms import Pseudonyms
from annotator.queue.ranking import KINDS, words_of
from annotator.store.database.tables import (
    annotation_table,
    decisions,
    figures,
    queue,
    queue_counts,
    queue_facets,
    queue_texts,
    revisions,
)
from annotator.store.queries.queue.entries import UNJUDGED
from annotator.store.rows import figure_mapping, mapping
from annotator.store.rows.records import Facet
from annotator.store.store import Store, Transaction
from annotator.web.factory import create_app
from panelwise.domain.annotation import Annotation, Status, Subfigure
from panelwise.domain.box import Box
from panelwise.domain.campaign import Role
from panelwise.domain.caption import Caption
from panelwise.domain.decision import Decision
from panelwise.domain.figure import Figure

FIGURES, SMALL = 217_060, 1_000
#: The large queue's 95th percentile is at most so many times the small one's.
PROMISED = 3.0
REQUESTS = 30
#: Figures put into the store at a time.
BATCH = 5_000
#: Figures are settled from the worst on: a list must not go through them again.
SETTLED = 0.3
#: Share of the figures with one and the same score, that of full agreement.
AGREED = 0.4
#: So many figures, however many there are, are of phase 2, have a rare annotator, and a rare word.
RARE = 60
ANNOTATORS = ("ann1", "ann2", "ann3")
WORDS = ("lung", "liver", "kidney", "axial", "western", "blot", "survival", "curve", "mouse", "section")
#: Captions that figures share.
CAPTIONS = 200
PASSWORD = "a password for measuring"
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Template:
    """Rows of one figure, to be given other ids."""

    figure: Figure
    revision: Row
    work: tuple[Row, ...]
    decision: Row
    words: str


def templates(source: random.Random) -> Iterator[Template]:
    for number in range(CAPTIONS):
        text = " ".join(("Fig.", "(A)", *source.choices(WORDS, k=20), "(B)", *source.choices(WORDS, k=20)))
        rare = " zebra" if number == 0 else ""
        figure = Figure("template", "images/none.png", 800, 600, Caption.cut(text + rare))
        half = len(figure.caption.tokens) // 2
        parts = (
            Subfigure("A", Box(0, 0, 400, 600), frozenset(range(4, half))),
            Subfigure("B", Box(400, 0, 800, 600), frozenset(range(half, 2 * half))),
        )
        work = [
            Annotation(figure, name, "1", Status.ACCEPTED, parts[: 2 - one], NOON) for one, name in enumerate("xy")
        ]
        decision = Decision(figure, "before", 1, Status.ACCEPTED, parts, ("x",), NOON)
        yield Template(
            figure,
            figure_mapping.figure_row(figure),
            tuple(mapping.annotation_row(each) for each in work),
            mapping.decision_row(decision),
            words_of(figure),
        )


def rows_for(count: int, source: random.Random) -> Iterator[Mapping[str, list[Row]]]:
    """The rows of each figure, by table."""
    ready = list(templates(source))
    for number in range(count):
        name = f"sim-{number:06}"
        rare = number % (count // RARE) == 0
        template = ready[0] if rare else ready[1 + number % (CAPTIONS - 1)]
        judged = source.random() > 0.001
        agreement = None if not judged else 1.0 if source.random() < AGREED else round(source.random(), 4)
        loss = None if agreement == 1.0 else tuple(KINDS)[number % len(KINDS)]
        place = UNJUDGED if agreement is None else agreement
        decided = place < SETTLED
        people = (ANNOTATORS[number % 3], "rare" if rare else ANNOTATORS[(number + 1) % 3])
        phase = "2" if rare else "1"
        facets = [(Facet.ALL, ""), (Facet.PHASE, phase), *((Facet.ANNOTATOR, each) for each in people)]
        facets += [(Facet.AGREED, "") if loss is None else (Facet.LOSS, loss)]
        facets += [(Facet.STATUS, "accepted"), (Facet.REVIEWER, "before")] if decided else []
        yield {
            "figures": [{"figure_id": name, "revision": 1}],
            "revisions": [{**template.revision, "figure_id": name}],
            "work": [
                {**row, "figure_id": name, "annotator": person, "phase": phase, "origin": ""}
                for row, person in zip(template.work, people, strict=True)
            ],
            "decisions": [{**template.decision, "figure_id": name}] if decided else [],
            "queue": [
                {
                    "figure_id": name,
                    "judged": judged,
                    "agreement": agreement,
                    "annotators": 2,
                    "decided": decided,
                    "status": "accepted" if decided else None,
                    "version": int(decided),
                    "reviewer": "before" if decided else "",
                    "loss": loss,
                    "phases": f",{phase},",
                    "needs_second": False,
                }
            ],
            "facets": [
                {"figure_id": name, "kind": kind, "value": value, "decided": decided, "place": place}
                for kind, value in facets
            ]
            # Stands by the certainty of a model that knows little of where annotators disagree.
            + [
                {
                    "figure_id": name,
                    "kind": Facet.UNSURE,
                    "value": "",
                    "decided": decided,
                    "place": round(source.random(), 4),
                }
            ],
            "texts": [{"figure_id": name, "words": f"sim {number:06} {template.words}"}],
        }


TABLES = {
    "figures": figures,
    "revisions": revisions,
    "work": annotation_table,
    "decisions": decisions,
    "queue": queue,
    "facets": queue_facets,
    "texts": queue_texts,
}


def fill(store: Store, count: int) -> None:
    """The campaign, straight into the tables; the index that lists are read off is made when they are full."""
    given = rows_for(count, random.Random(0))
    counts: Counter[tuple[str, str, bool]] = Counter()
    with store.transaction() as tx:
        tx.session.connection.exec_driver_sql("DROP INDEX ix_queue_facets")
    while batch := list(islice(given, BATCH)):
        with store.transaction() as tx:
            for key, table in TABLES.items():
                rows = [row for each in batch for row in each[key]]
                tx.figures._insert_many(table, rows)
                if key == "facets":
                    counts.update((row["kind"], row["value"], row["decided"]) for row in rows)
    with store.transaction() as tx:
        put_counts(tx, counts)
        tx.session.connection.exec_driver_sql(
            "CREATE INDEX ix_queue_facets ON queue_facets (kind, value, decided, place, figure_id)"
        )


def put_counts(tx: Transaction, counts: Mapping[tuple[str, str, bool], int]) -> None:
    names = sorted({(kind, value) for kind, value, _ in counts})
    tx.figures._insert_many(
        queue_counts,
        [
            {
                "kind": kind,
                "value": value,
                "open": counts.get((kind, value, False), 0),
                "decided": counts.get((kind, value, True), 0),
            }
            for kind, value in names
        ],
    )


class Asked:
    """A campaign, and somebody signed in who asks."""

    def __init__(self, folder: Path, count: int) -> None:
        self.home = Home.create(folder, name="Measured")
        self.store = self.home.open_store()
        began = time.perf_counter(), time.process_time()
        fill(self.store, count)
        spent = time.perf_counter() - began[0], time.process_time() - began[1]
        print(
            f"  {count:>7,} figures put into a store in {spent[0]:.0f} s ({spent[1]:.0f} s of processor)",
            flush=True,
        )
        accounts.add_person(self.store, "rev1", roles=[Role.REVIEWER], password=PASSWORD)
        self.client = create_app(self.home, self.store).test_client()
        self.seal = self._sign_in(self.client)
        with self.store.read() as tx:
            entries = tx.queue.page(reviewer_done=False, limit=REQUESTS, offset=count // 3)
        self.middle = [entry.figure_id for entry in entries]

    def _sign_in(self, client: FlaskClient) -> str:
        token = client.get("/login").text.partition('name="csrf_token" value="')[2].partition('"')[0]
        client.post("/login", data={"csrf_token": token, "name": "rev1", "password": PASSWORD})
        return token

    def page(self, address: str) -> float:
        began = time.perf_counter()
        answer = self.client.get(address)
        spent = time.perf_counter() - began
        assert answer.status_code == 200, answer.text
        assert '<td class="figure">' in answer.text, address
        return spent

    def state(self, address: str) -> float:
        began = time.perf_counter()
        answer = self.client.get(address)
        spent = time.perf_counter() - began
        assert answer.get_json()["next_url"], answer.text
        return spent

    def save(self, figure_id: str) -> float:
        state = self.client.get(f"/api/figures/{figure_id}").get_json()
        draft = {
            "version": state["version"],
            "status": "accepted",
            "subfigures": [],
            "based_on": [],
            "note": "",
            "seconds": 1.0,
        }
        began = time.perf_counter()
        answer = self.client.post(
            f"/api/figures/{figure_id}/decision", json=draft, headers={"X-CSRFToken": state["csrf"]}
        )
        spent = time.perf_counter() - began
        assert answer.get_json()["next_url"], answer.text
        return spent


def pages_of(asked: Asked) -> dict[str, Callable[[int], str]]:
    """Return the requests to measure: name -> the address of the Nth request."""
    key = Pseudonyms(asked.home.secret(), {}).of
    middle = asked.middle
    return {
        "the first page": lambda _: "/",
        "a page from the middle": lambda n: f"/?after={middle[n % len(middle)]}&page=9",
        "the page before it": lambda n: f"/?before={middle[n % len(middle)]}&page=9",
        "settled": lambda _: "/?show=settled",
        "all": lambda n: f"/?show=all&after={middle[n % len(middle)]}&page=9",
        "a kind of loss": lambda n: f"/?loss={tuple(KINDS)[n % 4].replace(' ', '+')}",
        "a rare phase": lambda _: "/?phase=2&show=all",
        "a pair": lambda _: f"/?annotator={key('ann1')}&annotator={key('ann2')}",
        "three conditions": lambda _: f"/?annotator={key('ann1')}&phase=1&loss=missing+text",
        "by a reviewer": lambda _: "/?reviewer=before",
        "a search": lambda _: "/?q=zebra&show=all",
        "an id": lambda n: f"/?q={middle[n % len(middle)]}",
        "what all agree on": lambda _: "/?agreed=yes",
        "the least sure": lambda _: "/?order=uncertainty",
        "the least sure, middle": lambda n: f"/?order=uncertainty&after={middle[n % len(middle)]}&page=9",
        "the least sure of a loss": lambda _: "/?order=uncertainty&loss=missing+text",
        "the least sure of a few": lambda _: "/?order=uncertainty&phase=2&show=all",
        "the least sure of agreed": lambda _: "/?order=uncertainty&agreed=yes&phase=1",
    }


def p95(times: Sequence[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def page(asked: Asked, address: Callable[[int], str], number: int) -> float:
    """Seconds of a page of the queue."""
    return asked.page(address(number))


def next_one(asked: Asked, query: str, number: int) -> float:
    """Seconds of a figure's state, which names the one that comes next."""
    return asked.state(f"/api/figures/{asked.middle[number % len(asked.middle)]}{query}")


def save(asked: Asked, number: int) -> float:
    """Seconds of a decision."""
    return asked.save(asked.middle[number])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--figures", type=int, default=FIGURES)
    parser.add_argument("--requests", type=int, default=REQUESTS)
    chosen = parser.parse_args()
    # Signing in is not what is measured.
    accounts._hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with tempfile.TemporaryDirectory() as folder:
        both = [Asked(Path(folder, str(count)), count) for count in (SMALL, chosen.figures)]
        kinds: dict[str, list[Callable[[int], float]]] = {}
        for asked in both:
            for name, address in pages_of(asked).items():
                kinds.setdefault(f"page: {name}", []).append(partial(page, asked, address))
            for name, query in (("after a figure", ""), ("behind a filter", "?loss=missing+text&phase=1")):
                kinds.setdefault(f"next: {name}", []).append(partial(next_one, asked, query))
            kinds.setdefault("next: the least sure", []).append(partial(next_one, asked, "?order=uncertainty"))
            kinds.setdefault("save: and what comes next", []).append(partial(save, asked))
        missed: list[str] = []
        pooled: dict[str, tuple[list[float], list[float]]] = {}
        print(f"  {chosen.requests} requests of each kind, one campaign after the other; milliseconds")
        print(f"  {'':26} {'1,000: p50':>11} {'p95':>7}   {chosen.figures:>7,}: p50 {'p95':>7}   p95 ratio")
        for kind, ask in kinds.items():
            spent: tuple[list[float], list[float]] = ([], [])
            for number in range(-2, chosen.requests if "save" not in kind else min(chosen.requests, REQUESTS)):
                for one, times in zip(ask, spent, strict=True):
                    taken = one(max(number, 0))
                    if number >= 0:  # the first two of each kind warm up
                        times.append(taken)
            for every, times in zip(pooled.setdefault(kind.partition(":")[0], ([], [])), spent, strict=True):
                every += times
            ratio = p95(spent[1]) / p95(spent[0])
            shown = [f"{1000 * value:7.1f}" for times in spent for value in (statistics.median(times), p95(times))]
            print(f"  {kind:26}     {shown[0]} {shown[1]}       {shown[2]} {shown[3]}   {ratio:6.2f}", flush=True)
        for group, (few, many) in pooled.items():
            ratio = p95(many) / p95(few)
            print(f"  every {group}: p95 {1000 * p95(few):.1f} and {1000 * p95(many):.1f}, ratio {ratio:.2f}")
            if ratio > PROMISED:
                missed.append(f"{group}: {ratio:.1f} times the small campaign's, not {PROMISED:g}")
        for asked in both:
            asked.store.close()
    if missed:
        sys.exit("; ".join(missed))


if __name__ == "__main__":
    main()

"""The server is killed while it takes back what was settled together: the rest can be taken back afterwards."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from builders import a_figure, an_annotation
from reliability.commands import Visitor
from reliability.saving import Server, serve
from web.asking import PASSWORD, token_of
from web.conftest import CHEAP

from annotator.accounts import people
from annotator.adjudication.adjudicate_many import BATCH
from annotator.campaign.home import Home
from annotator.queue.ranking import score_disagreement
from annotator.store.queries.decisions import DecisionQueries
from annotator.store.store import Store, Transaction
from panelwise.domain.campaign import Role
from panelwise.domain.decision import Decision, Reopening

pytestmark = pytest.mark.live

#: Figures that are settled together: two batches and a part of one.
FIGURES = 2 * BATCH + 20


@pytest.fixture
def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Figures on which two annotators agree, and a reviewer."""
    monkeypatch.setattr(people, "_hasher", CHEAP)
    home = Home.create(tmp_path / "campaign")
    with home.open_store() as store:
        with store.transaction() as tx:
            for number in range(FIGURES):
                figure = a_figure(f"f{number}")
                tx.figures.add(figure)
                for name in ("ann1", "ann2"):
                    tx.annotations.add(an_annotation(figure, annotator=name))
        score_disagreement(store, home.campaign)
        people.add_person(store, "rev1", roles=[Role.REVIEWER], password=PASSWORD)
    return home


def serve_until_something_is_reopened(home: Path, told: Connection) -> None:
    """What `annotator serve` does, until the first transaction that reopened figures was committed."""
    add_decision, transaction = DecisionQueries.add, Store.transaction
    reopened: list[str] = []

    def counted(self: DecisionQueries, entry: Decision | Reopening) -> None:
        add_decision(self, entry)
        if isinstance(entry, Reopening):
            reopened.append(entry.figure.id)

    @contextmanager
    def deadly(self: Store) -> Iterator[Transaction]:
        with transaction(self) as tx:
            yield tx
        if reopened:
            os.kill(os.getpid(), signal.SIGKILL)

    DecisionQueries.add, Store.transaction = counted, deadly
    serve(home, told)


def settled(home: Home) -> int:
    with home.open_store() as store, store.read() as tx:
        return tx.queue.counts().decided


def test_what_a_killed_server_did_not_take_back_is_taken_back_by_the_next(campaign: Home) -> None:
    server = Server(campaign.path, serve_until_something_is_reopened)
    server.start()
    rev1 = Visitor(server.url, "rev1")
    page = rev1.get("/agreed/")[1]
    marks = re.findall(r'name="figure" value="([^"]+)"', page)
    page = rev1.post_form("/agreed/", csrf_token=token_of(page), figure=marks)[1]
    assert settled(campaign) == FIGURES
    number = re.findall(r'action="/agreed/(\d+)/undo"', page)[0]
    with pytest.raises((OSError, HTTPException)):
        rev1.post_form(f"/agreed/{number}/undo", csrf_token=token_of(page))
    server.kill()
    assert settled(campaign) == FIGURES - BATCH

    server = Server(campaign.path)
    server.start()
    try:
        rev1 = Visitor(server.url, "rev1")
        page = rev1.get("/agreed/")[1]
        assert f'action="/agreed/{number}/undo"' in page  # it is offered again
        status, page = rev1.post_form(f"/agreed/{number}/undo", csrf_token=token_of(page))
        assert (status, f"{FIGURES - BATCH} figures reopened." in page) == (200, True)
        assert "decided again since" not in page
        assert settled(campaign) == 0
        assert rev1.post_form(f"/agreed/{number}/undo", csrf_token=token_of(page))[0] == 422
    finally:
        server.kill()

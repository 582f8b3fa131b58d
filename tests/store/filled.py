"""A store with rows in every table, and texts that databases are apt to change."""

from __future__ import annotations

from datetime import timedelta

from builders import NOON, a_decision, a_figure, a_prediction, a_subfigure, an_annotation
from sqlalchemy import func, select
from store.queued import a_place

from annotator.store.database.tables import metadata
from annotator.store.rows.records import ApiToken, BlindBoxes, Link, Outcome, ProjectLink, QueuePlace, SignIn
from annotator.store.store import Store
from panelwise.domain.annotation import Status
from panelwise.domain.campaign import Person, Role, Task
from panelwise.domain.decision import Reopening

#: What COPY, CSV and JSON each have a meaning for.
AWKWARD = "tab\there, \\N \\. back\\slash\nnew line\r\"quoted\" 'single' 😀 e\u0301 שלום"


def fill(store: Store) -> None:
    """At least one row in every table."""
    with store.transaction() as tx:
        for name in ("f1", "f2", "f3"):
            tx.figures.add(a_figure(name))
        tx.figures.add(a_figure("f\t4", caption=AWKWARD))
        for name, role in (("ann1", Role.ANNOTATOR), ("rev1", Role.REVIEWER)):
            tx.people.put(Person(name, frozenset({role}), f"{name}@example.org", True), password_hash="x" * 20)
        tx.settings.put("awkward", AWKWARD)
        for name in ("f1", "f2"):
            tx.annotations.add(an_annotation(a_figure(name)), origin="label-studio:1:2:3")
            other = (a_subfigure("A", box=(0.1, 0.2, 1 / 3, 600), tokens=()),)
            tx.annotations.add(an_annotation(a_figure(name), annotator="ann2", subfigures=other))
            tx.predictions.put(a_prediction(a_figure(name)))
            words = f"{name} left lung"
            tx.queue.put_places([a_place(name, 0.1 + 0.2, loss="no box", words=words)])
        tx.queue.put_places([QueuePlace("f3", None, 0)])
        tx.tasks.add([Task("f1", "ann1", "1"), Task("f1", "ann2", "1", 2, False)])
        tx.links.put_project(ProjectLink("ann1", "1", 1, "http://127.0.0.1:8080", "lungs - ann1"))
        tx.links.put(Link("ann1", "1", 1, "f1", 2, "abc", "2026-11-21T12:00:00Z", (3,), (), True))
        tx.decisions.add(a_decision(note=AWKWARD))
        tx.decisions.add(Reopening(a_figure(), "rev1", 2, NOON + timedelta(minutes=1), "again"))
        tx.decisions.add(a_decision(version=3, status=Status.REJECTED, subfigures=()))
        tx.decisions.add(a_decision(a_figure("f2")))
        tx.bulks.extend(tx.bulks.add("rev1", NOON), {"f2": 1})
        tx.presence.put_lease("f1", "rev1", NOON)
        tx.presence.put_skip("f3", "rev1", NOON)
        tx.sign_ins.add(SignIn(NOON, "rev1", Outcome.SIGNED_IN, "::1"))
        tx.blind.put_boxes("blind", BlindBoxes("f1", 1, "gold", (a_subfigure(),)), NOON)
        tx.blind.hand_in("blind", "rev1", ["f1"], NOON)
        tx.sent_back.add("f1", "1", "ann1", "rev1", AWKWARD, NOON)
        tx.comments.add("f1", "ann1", "rev1", AWKWARD, NOON, thread=None)
        tx.comments.put_read(1, "ann1", 1)
        tx.seen.add("ann1", ["f1"], NOON)
        tx.withdrawals.add(["f\t4"], "rev1", AWKWARD, NOON)
        tx.tokens.add(ApiToken("rev1", "script", NOON), "0" * 64)
    with store.transaction() as tx:
        revised = tx.figures.replace(a_figure("f3", caption="Other.", width=900))
        tx.annotations.add(an_annotation(revised, subfigures=(), status=Status.IGNORED))


def counts(store: Store) -> dict[str, int]:
    """Table -> its rows."""
    with store.read() as tx:
        return {
            table.name: int(tx.session.connection.execute(select(func.count()).select_from(table)).scalar_one())
            for table in metadata.sorted_tables
        }

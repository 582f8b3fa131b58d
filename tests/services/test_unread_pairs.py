"""Pairs that an earlier version stored and that do not parse: stored and exported as they are, and named."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from builders import a_figure

from annotator.campaign.home import Home
from annotator.operations.doctor import unread_pairs
from annotator.store.maintenance.check import check_store
from panelwise.formats.figures import figure_record
from panelwise.formats.scivqa import pair_records

VALID = {"instance_id": "q1", "qa_pair_type": "unanswerable", "question": "How much?", "answer_options": []}
KEYS = {
    "licence": "CC0",
    "qa": [VALID, {**VALID, "instance_id": "q2", "qa_pair_type": "riddle"}, "no pair"],
    "compound": "perhaps",
    "page": 3,
}


def test_stored_pairs_that_do_not_parse_stay_and_are_named(tmp_path: Path) -> None:
    home = Home.create(tmp_path / "home")
    with home.open_store() as store:
        with store.transaction() as tx:
            tx.figures.add(a_figure("f1", image="", extra=KEYS))
        assert list(payload(home)["extra"].items()) == list(KEYS.items())
        with store.read() as tx:
            figure = tx.figures.get("f1")
        (finding,) = unread_pairs(store)
    assert figure.extra == {"licence": "CC0", "page": 3}
    assert [pair.id for pair in figure.imported.pairs] == ["q1"]
    assert pair_records(figure).keys() == {"q1", "q2"}
    assert list(figure_record(figure).items())[:4] == list(KEYS.items())
    assert finding.about == "pairs"
    for said in (
        'figure "f1": "compound" is neither true nor false',
        'figure "f1": "qa[1].qa_pair_type" is "riddle", none of the seven types',
        'figure "f1": "qa[2]" holds a text, not an object',
    ):
        assert said in finding.message
    assert "--revise" in finding.fix
    assert list(check_store(home.store_location)) == []


def test_a_figure_stored_by_an_earlier_version_is_unchanged_by_its_import(tmp_path: Path) -> None:
    home = Home.create(tmp_path / "home")
    with home.open_store() as store:
        with store.transaction() as tx:
            tx.figures.add(a_figure("f1", extra=KEYS))
        before = payload(home)
        with store.transaction() as tx:
            assert not tx.figures.add(a_figure("f1", extra=dict(reversed(KEYS.items()))))
            assert not tx.figures.add(a_figure("f1", extra={**KEYS, "qa": None}))
        assert payload(home) == before


def test_sound_pairs_need_no_finding(tmp_path: Path) -> None:
    with Home.create(tmp_path / "home").open_store() as store:
        with store.transaction() as tx:
            tx.figures.add(a_figure("f1", extra={"qa": [VALID]}))
        assert list(unread_pairs(store)) == []


def payload(home: Home) -> dict[str, dict[str, object]]:
    with closing(sqlite3.connect(home.path / "store.sqlite")) as connection:
        ((stored,),) = connection.execute("SELECT payload FROM figure_revisions")
    return dict(json.loads(stored))

"""The upgrade to revision 0013: what payloads said is in columns, and a copy of the store is beside it."""

from __future__ import annotations

import errno
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from builders import a_decision, a_figure
from older_store import make_older
from sqlalchemy import text
from store.test_upgrading import make_old

from annotator.store.database.engine import WRITING, open_database
from annotator.store.maintenance import snapshot
from annotator.store.maintenance.check import Kind, check_store
from annotator.store.maintenance.snapshot import look_into
from annotator.store.store import Store
from panelwise.domain.decision import Awaits, Decision
from panelwise.domain.errors import StoreError

pytestmark = pytest.mark.usefixtures("every_migration")

EMPTY = '"subfigures":[],"items":{},"based_on":[]'
#: Payloads of decisions as revision 0012 has them -> seconds, awaits and flagged.
DECIDED = {
    f'{{{EMPTY},"note":"\\"awaits\\":\\"second\\"","seconds":null}}': (None, None, False),
    f'{{{EMPTY},"note":"","awaits":"second","seconds":0.1}}': (0.1, "second", False),
    f'{{{EMPTY},"note":"","guideline_flag":"why?","awaits":"tie-break","seconds":7}}': (7.0, "tie-break", True),
    f'{{{EMPTY},"note":"","guideline_flag":"","seconds":1e-9}}': (1e-9, None, False),
}
#: Payloads that no reader understands.
DAMAGED = ("", "x", "[]", '{"seconds":Infinity,"scores":[Infinity],"subfigures":[]}', '{"seconds":1', "7")


def run(url: str, *statements: str, **values: Any) -> list[tuple[Any, ...]]:
    """The rows of the last of these statements."""
    with (
        closing(open_database(url, create=False)) as database,
        database.engine.connect().execution_options(**{WRITING: True}) as connection,
        connection.begin(),
    ):
        results = [connection.execute(text(statement), values) for statement in statements]
        return [tuple(row) for row in results[-1]] if results[-1].returns_rows else []


def decided(url: str, version: int, payload: str) -> None:
    run(
        url,
        "INSERT INTO decisions (id, figure_id, revision, version, reviewer, status, decided_at, payload) VALUES "
        "(:id, 'sim-002', 1, :version, 'reviewer', 'accepted', '2026-11-21T10:00:00.000000Z', :payload)",
        id=100 + version,
        version=version,
        payload=payload,
    )


def test_facts_of_decisions_are_taken_from_their_payloads_which_stay(empty_url: str, tmp_path: Path) -> None:
    make_old(empty_url, "0012")
    for version, payload in enumerate(DECIDED, start=1):
        decided(empty_url, version, payload)
    with Store.open(empty_url, copies=tmp_path) as store, store.read() as tx:
        history = [entry for entry in tx.decisions.history("sim-002") if isinstance(entry, Decision)]
    assert [
        (entry.seconds, entry.awaits and entry.awaits.value, bool(entry.guideline_flag)) for entry in history
    ] == list(DECIDED.values())
    rows = run(empty_url, "SELECT payload, seconds, awaits, flagged FROM decisions WHERE id > 100 ORDER BY id")
    assert {payload: tuple(facts) for payload, *facts in rows} == DECIDED
    # These decisions were put past the queue.
    assert [str(fault) for fault in check_store(empty_url) if fault.kind is not Kind.QUEUE] == []


def test_payloads_that_cannot_be_read_stay_as_they_are_and_are_named(empty_url: str, tmp_path: Path) -> None:
    make_old(empty_url, "0012")
    for number, payload in enumerate(DAMAGED):
        decided(empty_url, number + 1, payload)
        for table, columns, values in (
            ("annotations", "annotator, phase, saved_at, status, origin, content", "'a', '1', 't', 's', '', 'c'"),
            ("predictions", "model_version", "'m' || :id"),
        ):
            run(
                empty_url,
                f"INSERT INTO {table} (id, figure_id, revision, {columns}, payload) "
                f"VALUES (:id, 'sim-001', 1, {values.replace(':id', str(number))}, :payload)",
                id=200 + number,
                payload=payload,
            )
    Store.open(empty_url, copies=tmp_path).close()
    for table, facts in (
        ("annotations", "seconds"),
        ("decisions", "seconds, awaits, flagged"),
        ("predictions", "certainty"),
    ):
        rows = run(empty_url, f"SELECT payload, {facts} FROM {table} WHERE id > 100 ORDER BY id")
        assert [payload for payload, *_ in rows] == list(DAMAGED)
        assert not any(fact for _, *found in rows for fact in found)
    named = "\n".join(map(str, check_store(empty_url)))
    for table, figure, first in (("annotations", "1", 200), ("decisions", "2", 101), ("predictions", "1", 200)):
        for number in range(len(DAMAGED)):
            assert f"{table} sim-00{figure} {first + number}:" in named
    with Store.open(empty_url) as store, store.read() as tx:
        for ask in (tx.predictions.counts, tx.predictions.certainties):
            with pytest.raises(StoreError, match=r"the prediction of .* is damaged .*; restore a backup"):
                ask()


def test_facts_in_the_payloads_of_an_earlier_version_are_columns_after_the_upgrade(
    url: str, tmp_path: Path
) -> None:
    entries = [
        a_decision(seconds=1 / 3, awaits=Awaits.SECOND, guideline_flag="why?"),
        a_decision(a_figure("f2"), seconds=None),
    ]
    with Store.open(url) as store, store.transaction() as tx:
        for entry in entries:
            tx.figures.add(entry.figure)
            tx.decisions.add(entry)
        assert (
            "seconds" not in tx.session.connection.execute(text("SELECT payload FROM decisions")).scalars().first()
        )
        make_older(tx.session.connection, "0012")
    with Store.open(url, copies=tmp_path) as store, store.read() as tx:
        assert list(tx.decisions.all()) == entries
        assert [entry.figure.id for entry in tx.decisions.flagged()] == ["f1"]
        assert [entry.figure.id for entry in tx.decisions.all(final=True)] == ["f2"]
        assert tx.decisions.count_timed() == 1


def test_the_store_as_it_was_is_saved_first(empty_url: str, tmp_path: Path) -> None:
    make_old(empty_url, "0012")
    before = run(empty_url, "SELECT * FROM decisions ORDER BY id")
    Store.open(empty_url, copies=tmp_path / "home").close() if _is_file(empty_url) else _open_in(
        empty_url, tmp_path
    )
    (copy,) = tmp_path.rglob("*-before-0014.sqlite")
    found = look_into(copy, "copy")
    assert (found.revision, found.rows["decisions"]) == ("0012", len(before))
    assert copy.stat().st_mode & 0o077 == 0
    assert run(f"sqlite:///{copy}", "SELECT * FROM decisions ORDER BY id") == before
    # Opened again there is nothing to upgrade, so the copy stays that of the earlier version.
    Store.open(empty_url).close()
    assert look_into(copy, "copy").revision == "0012"


def _is_file(url: str) -> bool:
    return url.startswith("sqlite")


def _open_in(url: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"an earlier version made this store; run annotator store upgrade"):
        Store.open(url)
    Store.open(url, copies=tmp_path).close()


def test_a_store_of_which_no_copy_can_be_saved_is_not_upgraded(
    empty_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    make_old(empty_url, "0012")
    monkeypatch.setattr(snapshot, "take_snapshot", full)
    with pytest.raises(StoreError, match=r"not upgraded, as no copy .* \(No space left on device\); make room"):
        Store.open(empty_url, copies=tmp_path)
    assert run(empty_url, "SELECT version_num FROM panelwise_revision") == [("0012",)]
    assert list(tmp_path.rglob("*before*")) == []


def test_an_upgrade_that_would_change_what_is_stored_is_undone(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'store.sqlite'}"
    open_database(url, create=True).close()
    make_old(url, "0012")
    before = run(url, "SELECT payload FROM predictions ORDER BY id")
    # Another program's trigger, which changes what is beside the columns that the upgrade fills.
    run(
        url,
        "CREATE TRIGGER meddling AFTER UPDATE ON predictions BEGIN "
        "UPDATE predictions SET model_version = 'x' || id; END",
    )
    with pytest.raises(
        StoreError, match="predictions: not what they were before the upgrade; the store is unchanged"
    ):
        Store.open(url)
    assert run(url, "SELECT payload FROM predictions ORDER BY id") == before
    assert run(url, "SELECT version_num FROM panelwise_revision") == [("0012",)]


def test_a_damaged_store_is_not_upgraded(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    make_old(f"sqlite:///{file}", "0012")
    with file.open("r+b") as raw:
        raw.seek(file.stat().st_size - 4096 * 3)
        raw.write(b"\xff" * 4096 * 3)
    with pytest.raises(StoreError, match=r"damaged|malformed"):
        Store.open(file)

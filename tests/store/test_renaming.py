from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from builders import a_decision, a_figure, a_prediction, an_annotation
from sqlalchemy import text

from annotator.store.rows.records import Link, ProjectLink, QueuePlace
from annotator.store.store import Store, Transaction
from panelwise.domain.campaign import Person, Role, Task
from panelwise.domain.errors import StoreError

OLD, NEW = 'Zoë "Z" O\'Hara', "p-abc"


@pytest.fixture
def worked(store: Store) -> Store:
    """A store in which one person stands wherever a person can, beside others."""
    with store.transaction() as tx:
        for name in ("f1", "f2"):
            tx.figures.add(a_figure(name))
            tx.predictions.put(a_prediction(a_figure(name)))
        tx.people.put(Person(OLD, frozenset({Role.ANNOTATOR}), "zoe@example.org"), password_hash="$hash")
        tx.people.put(Person("ann2", frozenset({Role.ANNOTATOR})))
        tx.tasks.add([Task("f1", OLD, "1"), Task("f2", OLD, "1"), Task("f1", "ann2", "1")])
        tx.annotations.add(an_annotation(annotator=OLD), origin=f"file:{OLD}.jsonl")
        tx.annotations.add(an_annotation(annotator=OLD, minutes=1, phase="2"), origin="label-studio:1:2:3")
        tx.annotations.add(an_annotation(annotator="ann2"), origin=f"file:both-{OLD}-2.jsonl")
        tx.queue.put_places([QueuePlace("f1", 0.5, 2)])
        tx.decisions.add(a_decision(reviewer=OLD, based_on=(OLD, "ann2"), note="seen"))
        tx.decisions.add(a_decision(a_figure("f2"), based_on=("ann2", "classic-1"), note=f"as {OLD} said"))
        tx.links.put(Link(OLD, "1", 7, "f1", 70))
        tx.links.put_project(ProjectLink(OLD, "1", 7, "http://127.0.0.1:8080", "theirs"))
        for statement in (
            "INSERT INTO leases VALUES ('f1', :name, '2026-01-01')",
            "INSERT INTO skips VALUES ('f1', :name, '2026-01-01')",
            "INSERT INTO sign_ins (at, name, outcome, address) VALUES ('2026-01-01', :name, 'in', '192.0.2.1')",
            "INSERT INTO sent_back VALUES (1, 'f1', '1', :name, 'rev1', '2026-01-01', 'again', NULL, '')",
            "INSERT INTO comments VALUES (1, 'f1', :name, 1, 'rev1', '2026-01-01', 'why?')",
            "INSERT INTO comments VALUES (2, 'f1', :name, 1, :name, '2026-01-01', 'because')",
            "INSERT INTO threads_read VALUES (1, :name, 1)",
            "INSERT INTO figures_seen VALUES ('f1', :name, '2026-01-01')",
            "INSERT INTO api_tokens VALUES (1, :name, 'script', 'abc', '2026-01-01', NULL)",
            "INSERT INTO sign_ins (at, name, outcome, address) VALUES ('2026-01-01', 'stranger', 'no', '::1')",
        ):
            tx.figures._write(text(statement), {"name": OLD} if ":name" in statement else None)
    return store


def test_a_name_is_replaced_wherever_it_stands_for_the_person(worked: Store) -> None:
    with worked.transaction() as tx:
        counts = tx.names.rename(OLD, NEW)
    assert counts == {
        **{"people": 1, "tasks": 2, "annotations": 2, "decisions": 2, "queue": 1, "links": 1, "projects": 1},
        **{
            "leases": 1,
            "skips": 1,
            "sign_ins": 2,  # and that the account was added
            "sent_back": 1,
            "comments": 3,
            "threads_read": 1,
            "figures_seen": 1,
            "api_tokens": 1,
        },
    }
    with worked.read() as tx:
        assert tx.names.all() == {NEW, "ann2", "rev1"}
        assert tx.people.get(NEW) == Person(NEW, frozenset({Role.ANNOTATOR}), "zoe@example.org")
        assert tx.people.password_hash(NEW) == "$hash"
        assert tx.tasks.all(annotator=NEW) == [Task("f1", NEW, "1"), Task("f2", NEW, "1")]
        assert list(tx.annotations.all(annotator=NEW, phase="1")) == [an_annotation(annotator=NEW)]
        decision = tx.decisions.get("f1")
        assert decision == a_decision(reviewer=NEW, based_on=(NEW, "ann2"), note="seen")
        assert tx.queue.page()[0].reviewer == NEW
        assert tx.links.all(annotator=NEW) == [Link(NEW, "1", 7, "f1", 70)]
        assert tx.links.projects(annotator=NEW)[0].project_id == 7
        assert tx.names.mentions(OLD) == {"decisions": ("f2",)}  # the note of another, which is left as it is
        other = tx.decisions.get("f2")
        assert other is not None
        assert other.note == f"as {OLD} said"


def test_the_same_work_coming_in_again_under_the_new_name_is_known(worked: Store) -> None:
    with worked.transaction() as tx:
        tx.names.rename(OLD, NEW)
        assert tx.annotations.add(an_annotation(annotator=NEW)) is False


def test_to_forget_takes_email_password_and_access(worked: Store) -> None:
    with worked.transaction() as tx:
        tx.names.rename(OLD, NEW, forget=True)
    with worked.read() as tx:
        assert tx.people.get(NEW) == Person(NEW, frozenset({Role.ANNOTATOR}), "", active=False)
        assert tx.people.password_hash(NEW) is None
        assert tx.tokens.of(NEW) == []
        addresses = tx.session.connection.execute(
            text("SELECT name, address FROM sign_ins WHERE outcome IN ('in', 'no') ORDER BY id")
        ).all()
        assert [tuple(row) for row in addresses] == [(NEW, ""), ("stranger", "::1")]
    with worked.transaction() as tx:
        assert tx.names.rename("ann2", "ann2", forget=True) == {}
        assert tx.people.get("ann2") == Person("ann2", frozenset({Role.ANNOTATOR}), active=False)


def test_work_stays_append_only_before_during_and_after(worked: Store) -> None:
    def refused() -> None:
        for table, column in (("annotations", "annotator"), ("decisions", "reviewer")):
            for statement in (f"UPDATE {table} SET {column} = 'x'", f"DELETE FROM {table}"):
                with pytest.raises(StoreError, match="append-only"), worked.transaction() as tx:
                    tx.figures._write(text(statement))

    refused()
    with worked.transaction() as tx:
        tx.names.rename(OLD, NEW)
    refused()
    with pytest.raises(ZeroDivisionError):
        _rename_and(worked, lambda _: 1 / 0)
    refused()
    with worked.read() as tx:
        assert NEW in tx.names.all()
    with pytest.raises(StoreError, match="append-only"):
        _rename_and(worked, lambda tx: tx.figures._write(text("DELETE FROM decisions")))


def test_a_renaming_that_breaks_off_inside_leaves_the_tables_closed(
    worked: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> int:
        raise StoreError("broken")

    monkeypatch.setattr("annotator.store.maintenance.rename.NameQueries._rename_based_on", broken)
    with worked.transaction() as tx:
        with pytest.raises(StoreError, match="broken"):
            tx.names.rename(OLD, NEW)
        tx.settings.put("committed", "yes")
    with pytest.raises(StoreError, match="append-only"), worked.transaction() as tx:
        tx.figures._write(text("DELETE FROM annotations"))


def test_what_cannot_be_a_name_is_refused_in_one_line(worked: Store) -> None:
    for old, new, complaint in (
        ("nobody", "x", "no person here is named"),
        (OLD, "ann2", "two people cannot be made one"),
        (OLD, "rev1", "two people cannot be made one"),
        (OLD, "classic-1", "a model is called"),
        (OLD, " x", "without blanks"),
        (OLD, "", "not a valid name"),
        (OLD, "a\nb", "control characters"),
        (OLD, "x" * 900, "longer than"),
    ):
        with pytest.raises(StoreError, match=complaint) as refused, worked.transaction() as tx:
            tx.names.rename(old, new)
        assert "\n" not in str(refused.value)


def test_names_are_found_as_words_in_any_case_and_short_ones_are_not_looked_for(store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1", caption="ANN1 drew this"))
        tx.figures.add(a_figure("f2", caption="cann1ster ann12"))
        tx.figures.add(a_figure("f3", caption="100% ann_1"))
        assert tx.names.mentions("ann1") == {"figure_revisions": ("f1",)}
        assert tx.names.mentions("100%") == {"figure_revisions": ("f3",)}
        assert tx.names.mentions("f1") == {}


def test_names_are_found_at_the_beginning_of_a_line_and_with_what_json_escapes(store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.add(a_figure("f1", caption='First.\nann1 and\tRuth "R" Miller'))
        tx.figures.add(a_figure("f2", caption="a folder C:\\nann1"))
        assert tx.names.mentions("ann1") == {"figure_revisions": ("f1",)}
        assert tx.names.mentions('Ruth "R" Miller') == {"figure_revisions": ("f1",)}


@pytest.mark.usefixtures("small_pages")
def test_many_decisions_are_renamed_page_by_page(store: Store) -> None:
    figures = [a_figure(f"f{number:02}") for number in range(23)]
    with store.transaction() as tx:
        for figure in figures:
            tx.figures.add(figure)
            tx.decisions.add(a_decision(figure, based_on=("ann1", "ann10")))
        assert tx.names.rename("rev1", "ann1x") == {"decisions": 23, "queue": 23}
        tx.annotations.add(replace(an_annotation(figures[0]), annotator="ann1"))
        assert tx.names.rename("ann1", NEW) == {"annotations": 1, "decisions": 23}
    with store.read() as tx:
        assert {each.based_on for each in tx.decisions.all()} == {(NEW, "ann10")}
        assert {each.reviewer for each in tx.decisions.all()} == {"ann1x"}


def test_a_scrubbed_store_holds_what_it_held(worked: Store) -> None:
    with worked.transaction() as tx:
        tx.names.rename(OLD, NEW)
    worked.scrub()
    with worked.transaction() as tx:
        assert tx.names.all() == {NEW, "ann2", "rev1"}
        assert tx.figures.add(a_figure("f3"))


def test_nothing_of_a_replaced_name_is_in_the_bytes_of_a_scrubbed_store(tmp_path: Path) -> None:
    file = tmp_path / "store.sqlite"
    name = "Wilhelmina-Ångström"
    with Store.open(file, create=True) as store:
        with store.transaction() as tx:
            for number in range(40):
                figure = a_figure(f"f{number}")
                tx.figures.add(figure)
                tx.annotations.add(an_annotation(figure, annotator=name), origin=f"file:{name}.jsonl")
                tx.decisions.add(a_decision(figure, reviewer=name, based_on=(name,)))
            tx.people.put(Person(name, frozenset({Role.REVIEWER}), "wilhelmina@example.org"), password_hash="$h")
        assert name.encode() in _bytes(file)
        with store.transaction() as tx:
            tx.names.rename(name, NEW, forget=True)
        store.scrub()
        assert name.encode() not in _bytes(file)
        assert b"wilhelmina@example.org" not in _bytes(file)


def test_a_reader_that_keeps_the_old_state_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotator.store.database.engine.BUSY_SECONDS", 0)
    with Store.open(tmp_path / "store.sqlite", create=True) as store:
        with store.transaction() as tx:
            tx.people.put(Person("ann1", frozenset()))
        with store.read() as reader:
            assert reader.names.all() == {"ann1"}
            with store.transaction() as tx:
                tx.names.rename("ann1", NEW)
            with pytest.raises(StoreError, match="another process reads the store"):
                store.scrub()
            assert reader.names.all() == {"ann1"}
        store.scrub()


def _rename_and(store: Store, then: Callable[[Transaction], object]) -> None:
    with store.transaction() as tx:
        tx.names.rename(NEW, "someone")
        then(tx)


def _bytes(file: Path) -> bytes:
    return b"".join(each.read_bytes() for each in sorted(file.parent.glob(f"{file.name}*")))

from __future__ import annotations

import itertools

import pytest
from builders import NOON, a_decision, a_figure, an_annotation
from sqlalchemy import text

from annotator.store.rows.records import QueuePlace
from annotator.store.store import Store, Transaction
from panelwise.domain.annotation import Status
from panelwise.domain.errors import StoreError


@pytest.fixture
def figured(store: Store) -> Store:
    with store.transaction() as tx:
        for name in ("f1", "f2", "f3"):
            tx.figures.add(a_figure(name))
    return store


def statuses(tx: Transaction) -> list[Status]:
    return [annotation.status for annotation in tx.annotations.all()]


def test_the_same_work_again_is_nothing_new(figured: Store) -> None:
    with figured.transaction() as tx:
        assert tx.annotations.add(an_annotation(), origin="label-studio:1:2:3")
        assert not tx.annotations.add(an_annotation())
        assert not tx.annotations.add(an_annotation(minutes=9, seconds=4.0))
        assert tx.annotations.history("f1", "ann1", "1") == [an_annotation()]


def test_a_later_annotation_supersedes_and_the_earlier_one_stays(figured: Store) -> None:
    with figured.transaction() as tx:
        first, second = an_annotation(), an_annotation(status=Status.REJECTED, minutes=1)
        assert tx.annotations.add(first)
        assert tx.annotations.add(second)
    with figured.read() as tx:
        assert list(tx.annotations.all()) == [second]
        assert tx.annotations.history("f1", "ann1", "1") == [first, second]


def test_an_older_annotation_that_comes_later_goes_into_the_history_only(figured: Store) -> None:
    with figured.transaction() as tx:
        newer, older = an_annotation(minutes=5), an_annotation(status=Status.IGNORED, minutes=1)
        tx.annotations.add(newer)
        assert tx.annotations.add(older)
        assert list(tx.annotations.all()) == [newer]
        assert tx.annotations.history("f1", "ann1", "1") == [older, newer]
        assert not tx.annotations.add(older), "bringing in the same history again adds nothing"
        assert not tx.annotations.add(newer)
        assert len(tx.annotations.history("f1", "ann1", "1")) == 2


def test_of_two_saved_at_the_same_moment_the_last_added_is_current(figured: Store) -> None:
    with figured.transaction() as tx:
        tx.annotations.add(an_annotation())
        tx.annotations.add(an_annotation(status=Status.REJECTED))
        assert statuses(tx) == [Status.REJECTED]


def test_going_back_to_earlier_work_is_a_new_annotation(figured: Store) -> None:
    with figured.transaction() as tx:
        for minutes, status in enumerate((Status.ACCEPTED, Status.REJECTED, Status.ACCEPTED)):
            assert tx.annotations.add(an_annotation(status=status, minutes=minutes))
        assert statuses(tx) == [Status.ACCEPTED]
        assert len(tx.annotations.history("f1", "ann1", "1")) == 3


def test_annotations_are_found_by_any_mix_of_figure_annotator_and_phase(figured: Store) -> None:
    keys = list(itertools.product(("f1", "f2", "f3"), ("ann1", "ann2"), ("1", "10", "2")))
    with figured.transaction() as tx:
        for figure, annotator, phase in reversed(keys):
            for minutes in (0, 1):
                tx.annotations.add(
                    an_annotation(
                        a_figure(figure),
                        annotator=annotator,
                        phase=phase,
                        status=list(Status)[minutes],
                        minutes=minutes,
                    )
                )
    with figured.read() as tx:
        for figure, annotator, phase in itertools.product(("f2", None), ("ann2", None), ("10", None)):
            found = tx.annotations.all(figure=figure, annotator=annotator, phase=phase)
            assert [(a.figure.id, a.annotator, a.phase) for a in found] == [
                key
                for key in keys
                if all(asked in (None, is_) for asked, is_ in zip((figure, annotator, phase), key, strict=True))
            ]
        assert list(tx.annotations.all(phase="none")) == []


@pytest.mark.usefixtures("small_pages")
def test_many_annotations_come_complete_across_pages(store: Store) -> None:
    count = 12
    with store.transaction() as tx:
        for number in range(count):
            figure = a_figure(f"f{number:05}")
            tx.figures.add(figure)
            for annotator in ("a", "b", "c"):
                tx.annotations.add(an_annotation(figure, annotator=annotator))
        found = [(a.figure.id, a.annotator) for a in tx.annotations.all()]
        assert found == [(f"f{number:05}", name) for number in range(count) for name in "abc"]


def test_annotations_of_one_figure_share_it(figured: Store) -> None:
    with figured.transaction() as tx:
        tx.annotations.add(an_annotation(annotator="a"))
        tx.annotations.add(an_annotation(annotator="b"))
        first, second = tx.annotations.all()
    assert first.figure is second.figure


def test_reading_annotations_takes_two_queries_a_page_not_one_each(figured: Store) -> None:
    from sqlalchemy import event

    with figured.transaction() as tx:
        for name, annotator in itertools.product(("f1", "f2", "f3"), "abcdef"):
            tx.annotations.add(an_annotation(a_figure(name), annotator=annotator))
    statements: list[str] = []
    engine = figured._database.engine
    with figured.read() as tx:
        event.listen(engine, "before_cursor_execute", lambda _c, _k, statement, *_: statements.append(statement))
        assert len(list(tx.annotations.all())) == 18
    assert len(statements) == 2


@pytest.mark.parametrize("statement", ["UPDATE annotations SET status = 'x'", "DELETE FROM annotations"])
def test_the_database_itself_refuses_to_change_annotations(figured: Store, statement: str) -> None:
    with figured.transaction() as tx:
        tx.annotations.add(an_annotation())
    with pytest.raises(StoreError, match="annotations are append-only"), figured.transaction() as tx:
        tx.figures._write(text(statement))
    with figured.read() as tx:
        assert list(tx.annotations.all()) == [an_annotation()]


def test_the_origin_is_kept(figured: Store) -> None:
    with figured.transaction() as tx:
        tx.annotations.add(an_annotation(), origin="label-studio:1:2:3")
        assert tx.session.connection.execute(text("SELECT origin, saved_at FROM annotations")).one() == (
            "label-studio:1:2:3",
            NOON.isoformat(timespec="microseconds").replace("+00:00", "Z"),
        )


def test_the_mark_of_the_work_changes_with_the_work_and_with_nothing_else(store: Store) -> None:
    def mark() -> str:
        with store.read() as tx:
            return tx.annotations.mark()

    marks = [mark()]

    def changed() -> bool:
        marks.append(mark())
        return marks[-1] not in marks[:-1]

    with store.transaction() as tx:
        tx.figures.add(a_figure("f1"))
        tx.figures.add(a_figure("f2"))
    assert not changed()
    for annotation in (an_annotation(), an_annotation(annotator="ann2"), an_annotation(subfigures=(), minutes=-1)):
        with store.transaction() as tx:
            tx.annotations.add(annotation)
        assert changed()
        with store.transaction() as tx:
            assert not tx.annotations.add(annotation)
        assert mark() == marks[-1]
    with store.transaction() as tx:
        tx.names.rename("ann2", "ann3")
    assert changed()
    with store.transaction() as tx:
        tx.names.rename("ann3", "ann2")
    assert changed()
    with store.transaction() as tx:
        tx.figures.replace(a_figure("f1", caption="Another."))
    assert changed()
    later = mark()
    with store.transaction() as tx:
        tx.figures.replace(a_figure("f1"))
        tx.queue.put_places([QueuePlace("f1", 0.5, 2)])
        tx.decisions.add(a_decision())
    assert mark() == marks[-2]
    assert later != mark()

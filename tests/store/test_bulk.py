"""Many figures at once, and all the work on them."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from builders import a_decision, a_figure, an_annotation, figures
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotator.store.database.tables import revisions
from annotator.store.rows import figure_mapping
from annotator.store.store import Store
from panelwise.domain.caption import Caption
from panelwise.domain.errors import StoreError
from panelwise.domain.figure import Figure


@given(figures())
def test_a_row_has_the_tokens_of_a_caption_that_was_not_cut_and_leaves_it_uncut(figure: Figure) -> None:
    fresh = replace(figure, caption=Caption.cut(figure.caption.text))
    row = figure_mapping.figure_row(fresh)
    assert fresh.caption.uncut
    assert msgspec.json.decode(row["payload"])["tokens"] == [list(pair) for pair in fresh.caption.ranges]
    assert row == figure_mapping.figure_row(fresh)


def test_of_many_figures_each_is_new_known_or_refused(store: Store) -> None:
    known, other = a_figure("known"), a_figure("other")
    with store.transaction() as tx:
        assert tx.figures.add_many([known, other]) == [True, True]
    spoilt = a_figure("spoilt", caption="half \ud800")
    long = a_figure("x" * 900)
    with store.transaction() as tx:
        outcomes = tx.figures.add_many(
            [
                known,
                replace(other, document="d"),
                a_figure("new"),
                spoilt,
                long,
                a_figure("new"),
                a_figure("new", width=9),
            ]
        )
    told = [str(each) if isinstance(each, StoreError) else each for each in outcomes]
    assert [told[place] for place in (0, 2, 5)] == [False, True, False]
    for place, complaint in ((1, "another document"), (3, "surrogate"), (4, "longer than"), (6, "another size")):
        assert complaint in str(told[place])
    with store.read() as tx:
        assert [each.id for each in tx.figures.all()] == ["known", "new", "other"]
        assert tx.figures.by_id(["other", "nope", "known"]) == {"known": known, "other": other}
        assert tx.figures.get("new").caption.tokens == a_figure("new").caption.tokens


def test_many_figures_are_more_than_one_query(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("annotator.store.queries.figures.MANY", 3)
    given = [a_figure(f"f{number}") for number in range(8)]
    with store.transaction() as tx:
        assert tx.figures.add_many(given) == [True] * 8
        assert tx.figures.add_many(given) == [False] * 8
        assert len(tx.figures.by_id([each.id for each in given])) == 8


def test_a_store_of_the_first_version_knows_its_figures(store: Store) -> None:
    figure = a_figure(source={"b": 1, "a": [1.5, None]})
    with store.transaction() as tx:
        tx.figures.add(figure)
        value = {"content": "0" * 32, "frame": figure_mapping.first_figure_frame(figure)}
        tx.figures._write(revisions.update().values(value))
    with store.transaction() as tx:
        assert tx.figures.add(figure) is False
        assert tx.annotations.add(an_annotation(figure))
        assert tx.figures.add(replace(figure, source={"a": [1.5, None], "b": 1})) is False
        with pytest.raises(StoreError, match="another size, caption or tokens"):
            tx.annotations.add(an_annotation(replace(figure, width=900)))


def test_nothing_is_added_where_only_reading_was_asked_for(store: Store) -> None:
    with store.read() as tx, pytest.raises(StoreError, match="nothing can be written here"):
        tx.figures.add_many([a_figure()])


@pytest.mark.slow
@pytest.mark.usefixtures("small_pages")
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.data())
def test_the_work_on_figures_is_what_asking_for_each_gives(data: st.DataObject) -> None:
    with Store.open("sqlite://", create=True) as store:
        with store.transaction() as tx:
            for number in range(data.draw(st.integers(0, 12))):
                figure = a_figure(f"f{number}")
                tx.figures.add(figure)
                if data.draw(st.booleans()):
                    tx.decisions.add(a_decision(figure))
                for name in data.draw(st.sets(st.sampled_from(["ann1", "ann2"]))):
                    for minutes in data.draw(st.lists(st.integers(0, 3), unique=True)):
                        subfigures = an_annotation(figure).subfigures[: minutes % 3]
                        tx.annotations.add(
                            an_annotation(figure, annotator=name, minutes=minutes, subfigures=subfigures)
                        )
                if data.draw(st.booleans()):
                    tx.figures.replace(replace(figure, caption=Caption.cut("Another (A) one.")))
        with store.read() as tx:
            expected = [
                (figure, tuple(tx.annotations.all(figure=figure.id)), tx.decisions.get(figure.id))
                for figure in tx.figures.all()
            ]
            assert [(each.figure, each.annotations, each.decision) for each in tx.work.all()] == expected


def test_the_work_on_figures_can_be_asked_of_every_database(store: Store) -> None:
    first, second = a_figure("f1"), a_figure("f2")
    with store.transaction() as tx:
        tx.figures.add_many([first, second])
        tx.annotations.add(an_annotation(first))
        tx.decisions.add(a_decision(second))
    with store.read() as tx:
        assert [(each.figure, each.annotations, each.decision) for each in tx.work.all()] == [
            (first, (an_annotation(first),), None),
            (second, (), a_decision(second)),
        ]

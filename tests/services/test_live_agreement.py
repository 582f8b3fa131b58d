"""The agreement that the view keeps: never older than the store, measured once for each state, bounded."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from builders import a_figure, a_subfigure, an_annotation

from agreement.report.summary import Report
from annotator.campaign.home import Home
from annotator.dashboards import live_agreement
from annotator.dashboards.live_agreement import LiveAgreement
from annotator.measurement.report import ReportOptions, measure
from annotator.operations.rename_person import rename
from annotator.store.store import Store
from panelwise.domain.annotation import Annotation
from panelwise.domain.errors import StoreError


def work(figure: str = "f1", annotator: str = "ann1", **more: Any) -> Annotation:
    return an_annotation(a_figure(figure), annotator=annotator, **more)


@pytest.fixture
def worked(home: Home) -> Store:
    store = home.open_store()
    with store.transaction() as tx:
        for figure in ("f1", "f2"):
            tx.figures.add(a_figure(figure))
            tx.annotations.add(work(figure))
            tx.annotations.add(work(figure, "ann2", subfigures=(a_subfigure(tokens=(4, 6)),)))
        tx.annotations.add(work("f1", "ann9", phase="9"))  # the last that was added is of somebody else
    return store


@pytest.fixture
def live(home: Home, worked: Store) -> LiveAgreement:
    return LiveAgreement(lambda: home, worked)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The phases that were measured, one entry a time."""
    done: list[str] = []

    def counting(store: Store, *, options: ReportOptions, **more: Any) -> Report:
        done.append(options.phase)
        return measure(store, options=options, **more)

    monkeypatch.setattr(live_agreement, "measure", counting)
    return done


def iaa(live: LiveAgreement, phase: str = "1") -> float | None:
    found, fresh = live.of(phase)
    assert found is not None
    assert fresh
    return found.report.iaa


def test_one_state_is_measured_once(live: LiveAgreement, worked: Store, measured: list[str]) -> None:
    assert iaa(live) == iaa(live) == measure(worked, options=ReportOptions(phase="1")).iaa
    assert measured == ["1"]


def test_the_campaigns_limit_of_boxes_holds_here_too_and_from_the_moment_it_is_set(
    home: Home, worked: Store, measured: list[str]
) -> None:
    now = [home]
    live = LiveAgreement(lambda: now[0], worked)
    with worked.transaction() as tx:
        for name in ("ann1", "ann2"):
            tx.annotations.add(work("f2", name, subfigures=(a_subfigure("A"), a_subfigure("B")), minutes=5))
    whole = iaa(live)
    now[0] = replace(home, settings=replace(home.settings, campaign=replace(home.campaign, max_boxes=1)))
    assert iaa(live) == measure(worked, options=ReportOptions(phase="1"), campaign=now[0].campaign).iaa != whole
    assert measured == ["1", "1"]


def _another(store: Store) -> None:
    with store.transaction() as tx:
        tx.annotations.add(work("f1", "ann3", subfigures=()))


def _older(store: Store) -> None:
    """Work that is older than the annotator's current one, and so does not change what is current."""
    with store.transaction() as tx:
        tx.annotations.add(work("f1", "ann1", subfigures=(), minutes=-5))


def _again(store: Store) -> None:
    with store.transaction() as tx:
        tx.annotations.add(work("f1", "ann1", subfigures=(), minutes=1))


def _replaced(store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.replace(a_figure("f1", caption="Another."))
        tx.annotations.add(an_annotation(tx.figures.get("f1"), annotator="ann1", subfigures=(), minutes=2))


def _replaced_alone(store: Store) -> None:
    with store.transaction() as tx:
        tx.figures.replace(a_figure("f1", width=801))


def _back(store: Store) -> None:
    """One figure goes on to its second revision while another goes back to its first."""
    with store.transaction() as tx:
        tx.figures.replace(a_figure("f2", caption="Another."))
    with store.transaction() as tx:
        tx.figures.replace(a_figure("f1", caption="Another."))
        tx.figures.replace(a_figure("f2"))


def _swapped(store: Store) -> None:
    """Two people exchange their names: as many people, as many annotations, the same last one."""
    with store.transaction() as tx:
        for old, new in (("ann1", "x"), ("ann2", "ann1"), ("x", "ann2")):
            tx.names.rename(old, new)


@pytest.mark.slow
@pytest.mark.parametrize("change", [_another, _older, _again, _replaced, _replaced_alone, _back, _swapped])
def test_nothing_kept_is_ever_older_than_the_store(
    live: LiveAgreement, worked: Store, change: Callable[[Store], None]
) -> None:
    iaa(live)
    change(worked)
    found, fresh = live.of("1")
    now = measure(worked, options=ReportOptions(phase="1"))
    assert fresh
    assert found is not None
    assert found.report.iaa == now.iaa
    assert [(each.gold, each.predicted, each.score, each.figures) for each in found.report.pairs] == [
        (each.gold, each.predicted, each.score, each.figures) for each in now.pairs
    ]
    assert set(found.keys) == {each.name for each in now.annotators}


def test_decisions_and_predictions_change_nothing_and_measure_nothing(
    live: LiveAgreement, worked: Store, measured: list[str]
) -> None:
    from builders import a_decision, a_prediction

    iaa(live)
    with worked.transaction() as tx:
        tx.decisions.add(a_decision(a_figure("f1")))
        tx.predictions.put(a_prediction(a_figure("f1")))
    iaa(live)
    assert measured == ["1"]


def test_a_rename_keeps_the_name_in_addresses(live: LiveAgreement, worked: Store, home: Home) -> None:
    before, _ = live.of("1")
    rename(home, worked, "ann1", "Wilhelmina")
    after, _ = live.of("1")
    assert before is not None
    assert after is not None
    assert after.keys["Wilhelmina"] == before.keys["ann1"]
    assert len(set(after.keys.values())) == 2


def test_many_who_ask_at_once_wait_for_one_measuring(
    live: LiveAgreement, worked: Store, measured: list[str]
) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: iaa(live), range(16)))
    assert set(found) == {measure(worked, options=ReportOptions(phase="1")).iaa}
    assert measured == ["1"]


def test_who_will_not_wait_gets_nothing_first_and_later_the_state_before(
    live: LiveAgreement, worked: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    going_on, done = threading.Event(), threading.Event()

    def slow(store: Store, *, options: ReportOptions, **more: Any) -> Report:
        assert going_on.wait(300)
        report = measure(store, options=options, **more)
        done.set()
        return report

    monkeypatch.setattr(live_agreement, "measure", slow)
    assert live.of("1", patience=0.01) == (None, False)
    going_on.set()
    first = iaa(live)
    going_on.clear()
    done.clear()
    _again(worked)
    before, fresh = live.of("1", patience=0.01)
    assert before is not None
    assert (before.report.iaa, fresh) == (first, False)
    going_on.set()
    assert done.wait(300)
    assert iaa(live) == measure(worked, options=ReportOptions(phase="1")).iaa != first


def test_states_that_pass_while_another_is_measured_are_measured_once_together(
    live: LiveAgreement, worked: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    going_on, begun = threading.Event(), threading.Event()
    times: list[str] = []

    def slow(store: Store, *, options: ReportOptions, **more: Any) -> Report:
        times.append(options.phase)
        begun.set()
        assert going_on.wait(300)
        return measure(store, options=options, **more)

    monkeypatch.setattr(live_agreement, "measure", slow)
    live.of("1", patience=0.01)
    assert begun.wait(300)
    for change in (_again, _another):
        change(worked)
        assert live.of("1", patience=0.01) == (None, False)
    going_on.set()
    assert iaa(live) == measure(worked, options=ReportOptions(phase="1")).iaa
    assert times == ["1", "1"]


def test_a_failure_is_told_to_who_asked_and_not_kept(live: LiveAgreement, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: Any) -> Report:
        raise StoreError("the store is gone")

    with monkeypatch.context() as patch:
        patch.setattr(live_agreement, "measure", broken)
        with pytest.raises(StoreError, match="the store is gone"):
            live.of("1")
    assert iaa(live) is not None


def test_no_more_is_kept_than_the_limit_but_always_the_last(
    home: Home, worked: Store, measured: list[str]
) -> None:
    with worked.transaction() as tx:
        for phase in ("2", "3"):
            for name in ("ann1", "ann2"):
                tx.annotations.add(work("f1", name, phase=phase))
    live = LiveAgreement(
        lambda: home, worked, cached_scores=6
    )  # phase 1: four scores of figures in pairs; 2 and 3: two each
    for phase in ("1", "2", "1", "3", "1"):
        iaa(live, phase)
    # 2 had to go for 3: of 1 and 2, 1 had been asked for later.
    assert measured == ["1", "2", "3"]
    iaa(live, "2")
    iaa(live, "1")
    assert measured == ["1", "2", "3", "2"]
    tiny = LiveAgreement(lambda: home, worked, cached_scores=0)
    iaa(tiny, "1")
    iaa(tiny, "1")
    assert measured[4:] == ["1"]


def test_figures_of_a_pair_come_worst_first_and_of_no_pair_there_are_none(live: LiveAgreement) -> None:
    found, _ = live.of("1")
    assert found is not None
    assert [each.figure_id for each in found.figures("ann1", "ann2")] == ["f1", "f2"]
    assert found.figures("ann1", "ann2") is found.figures("ann1", "ann2")
    assert found.figures("ann1", "ann1") == found.figures("nobody", "ann1") == ()
    assert found.pair("ann1", "ann1") is None


def test_who_asks_after_a_thread_could_not_start_does_not_wait_for_it(
    live: LiveAgreement, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refused)
        with pytest.raises(RuntimeError, match="new thread"):
            live.of("1")
    found, present = live.of("1")
    assert found is not None
    assert present
